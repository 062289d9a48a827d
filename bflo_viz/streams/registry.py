"""What each stream must be, and where its files are; nothing here reads or fetches anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_OPENML = "https://www.openml.org/data/download/"
_MNIST_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_BY_UCI = "CC BY 4.0"


class File(NamedTuple):
    """A file under its official name, and its address."""

    name: str
    url: str


@dataclass(frozen=True)
class Way:
    """One set of files that holds the whole stream: how to read them, and which label means which class."""

    format: str  # csv, arff, libsvm or idx
    files: tuple[File, ...]
    labels: Mapping[int, int]


@dataclass(frozen=True)
class Recipe:
    """What a stream must be, by content.

    ``most`` bounds each of its files in bytes, both as downloaded and as unpacked; ``sha256`` is the
    :func:`~bflo_viz.streams.stream.fingerprint` of the parsed arrays, so the bytes of the files do not matter.
    """

    name: str
    rows: int
    features: int
    classes: Mapping[str, int]  # how many rows of each, in the order of the labels
    dtype: str
    sha256: str
    source: str
    licence: str
    citation: str
    feature_names: tuple[str, ...]
    sparse: bool = False
    ways: tuple[Way, ...] = field(default=())
    most: int = 0
    download: int = 0  # bytes of the first way, about
    maximum: int = 255  # of pixels
    about: str = ""

    def official_names(self) -> str:
        """The files to place by hand, in words."""
        *others, last = (file.name for file in self.ways[0].files)
        return f"{', '.join(others)} and {last}" if others else last


def _numbered(word: str, count: int) -> tuple[str, ...]:
    return tuple(f"{word} {i + 1}" for i in range(count))


def _pixels(side: int) -> tuple[str, ...]:
    return tuple(f"pixel {row},{column}" for row in range(side) for column in range(side))


def _mnist(mirror: str) -> Way:
    files = tuple(File(f"{name}.gz", f"{mirror}{name}.gz") for name in _MNIST_FILES)
    return Way("idx", files, {i: i for i in range(10)})


_FOREST = {i: int(i == 2) for i in range(1, 8)}  # the paper's two groups: cover type 2, lodgepole pine, and the rest

# OpenML is the second address where it has the same numbers. Its mushroom, a9a and covtype of LIBSVM are expanded or
# rescaled in other ways, so their content would be refused.
FROM_FILES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="mushroom",
            rows=8_124,
            features=112,
            classes={"poisonous": 3_916, "edible": 4_208},
            dtype="uint8",
            sha256="a42f2e3ff8821e5a91669a8e4e5bda7f0417f08921634896a6e049a652dbf66b",
            source="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#mushrooms",
            licence=_BY_UCI,
            citation="Mushroom (1981), UCI Machine Learning Repository, doi:10.24432/C5959T; as expanded by LIBSVM.",
            feature_names=_numbered("feature", 112),
            sparse=True,
            ways=(Way("libsvm", (File("mushrooms", f"{_LIBSVM}mushrooms"),), {1: 0, 2: 1}),),
            most=4_000_000,
            download=880_000,
        ),
        Recipe(
            name="covtype",
            rows=581_012,
            features=54,
            classes={"other": 297_711, "lodgepole pine": 283_301},
            dtype="int16",
            sha256="7b266380831ac1213881620896d90d9807f088ac6eb9abf3571045b7bc00d397",
            source="https://archive.ics.uci.edu/dataset/31/covertype",
            licence=_BY_UCI,
            citation="J. Blackard: Covertype (1998), UCI Machine Learning Repository, doi:10.24432/C50K5N.",
            feature_names=(
                *("elevation", "aspect", "slope", "horizontal distance to hydrology"),
                *("vertical distance to hydrology", "horizontal distance to roadways"),
                *("hillshade at 9 am", "hillshade at noon", "hillshade at 3 pm"),
                "horizontal distance to fire points",
                *_numbered("wilderness area", 4),
                *_numbered("soil type", 40),
            ),
            ways=(
                Way("csv", (File("covtype.data.gz", f"{_UCI}covtype/covtype.data.gz"),), _FOREST),
                Way(
                    "libsvm",
                    (File("covtype.libsvm.binary.bz2", f"{_LIBSVM}covtype.libsvm.binary.bz2"),),
                    {1: 0, 2: 1},
                ),
                Way("arff", (File("openml-1596.arff", f"{_OPENML}1601911/phpQOf0wY"),), _FOREST),
            ),
            most=160_000_000,
            download=11_240_000,
        ),
        Recipe(
            name="ijcnn",
            rows=141_691,
            features=22,
            classes={"negative": 128_126, "positive": 13_565},
            dtype="float64",
            sha256="7c464c652e4db521aedec7f6b8affb706614867273f5f6d977a2bcc6eaa91141",
            source="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#ijcnn1",
            licence="none stated",
            citation="D. Prokhorov: IJCNN 2001 neural network competition; as prepared by its winners, C.-C. Chang "
            "and C.-J. Lin: IJCNN 2001 challenge: generalization ability and text decoding (2001).",
            feature_names=_numbered("feature", 22),
            ways=(
                Way(
                    "libsvm",
                    (File("ijcnn1.bz2", f"{_LIBSVM}ijcnn1.bz2"), File("ijcnn1.t.bz2", f"{_LIBSVM}ijcnn1.t.bz2")),
                    {-1: 0, 1: 1},
                ),
            ),
            most=40_000_000,
            download=4_000_000,
        ),
        Recipe(
            name="eeg",
            rows=14_980,
            features=14,
            classes={"open": 8_257, "closed": 6_723},
            dtype="float64",
            sha256="079595c776c3eff473ab9511af0439573fde44bf04bd8f654eb0f99188f982db",
            source="https://archive.ics.uci.edu/dataset/264/eeg+eye+state",
            licence=_BY_UCI,
            citation="O. Roesler: EEG Eye State (2013), UCI Machine Learning Repository, doi:10.24432/C57G7J.",
            feature_names=(
                *("AF3", "F7", "F3", "FC5", "T7", "P7", "O1"),
                *("O2", "P8", "T8", "FC6", "F4", "F8", "AF4"),
            ),
            ways=(
                Way("arff", (File("EEG Eye State.arff", f"{_UCI}00264/EEG%20Eye%20State.arff"),), {0: 0, 1: 1}),
                Way("arff", (File("openml-1471.arff", f"{_OPENML}1587924/phplE7q6h"),), {1: 0, 2: 1}),
            ),
            most=6_000_000,
            download=1_700_000,
        ),
        Recipe(
            name="a9a",
            rows=32_561,
            features=123,
            classes={"at most 50K": 24_720, "over 50K": 7_841},
            dtype="uint8",
            sha256="e3fe62e7cc45a476e3bffb896ddb8c6d9ce61f9554b2db3cc19cdf7892c56456",
            source="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a9a",
            licence=_BY_UCI,
            citation="B. Becker and R. Kohavi: Adult (1996), UCI Machine Learning Repository, doi:10.24432/C5XW20; "
            "as expanded by J. Platt and LIBSVM.",
            feature_names=_numbered("feature", 123),
            sparse=True,
            ways=(Way("libsvm", (File("a9a", f"{_LIBSVM}a9a"),), {-1: 0, 1: 1}),),
            most=10_000_000,
            download=2_330_000,
        ),
        Recipe(
            name="mnist",
            rows=70_000,
            features=784,
            classes={
                **{"0": 6_903, "1": 7_877, "2": 6_990, "3": 7_141, "4": 6_824},
                **{"5": 6_313, "6": 6_876, "7": 7_293, "8": 6_825, "9": 6_958},
            },
            dtype="uint8",
            sha256="ba7fc5cebbd272a40f8e5e7cd46652b311cf399866f49ab2dccdaea6b83dcd54",
            source="http://yann.lecun.com/exdb/mnist/",
            licence="CC BY-SA 3.0",
            citation="Y. LeCun, L. Bottou, Y. Bengio and P. Haffner: Gradient-based learning applied to document "
            "recognition (1998).",
            feature_names=_pixels(28),
            ways=(
                _mnist("https://ossci-datasets.s3.amazonaws.com/mnist/"),
                _mnist("https://storage.googleapis.com/cvdf-datasets/mnist/"),
            ),
            most=60_000_000,
            download=11_600_000,
        ),
    )
}

# Those that come with scikit-learn: always there, and held to the same checks.
BUNDLED = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="breast-cancer",
            rows=569,
            features=30,
            classes={"malignant": 212, "benign": 357},
            dtype="float64",
            sha256="31d3d63ce2f3035f143c242abfbba3ebd1b65ef376e2d36b8e77748f117da218",
            source="https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic",
            licence=_BY_UCI,
            citation="W. Wolberg, O. Mangasarian, N. Street and W. Street: Breast Cancer Wisconsin (Diagnostic) "
            "(1993), UCI Machine Learning Repository, doi:10.24432/C5DW2B.",
            feature_names=tuple(
                f"{which} {what}"
                for which in ("mean", "error of the", "worst")
                for what in (
                    *("radius", "texture", "perimeter", "area", "smoothness", "compactness"),
                    *("concavity", "concave points", "symmetry", "fractal dimension"),
                )
            ),
        ),
        Recipe(
            name="digits",
            rows=1_797,
            features=64,
            classes={
                **{"0": 178, "1": 182, "2": 177, "3": 183, "4": 181},
                **{"5": 182, "6": 181, "7": 179, "8": 174, "9": 180},
            },
            dtype="uint8",
            sha256="6db8d23b0463b5097d27c42afe3781692f6d629a69956883052e0cafec597dfd",
            source="https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits",
            licence=_BY_UCI,
            citation="E. Alpaydin and C. Kaynak: Optical Recognition of Handwritten Digits (1998), UCI Machine "
            "Learning Repository, doi:10.24432/C50P49.",
            feature_names=_pixels(8),
            maximum=16,
            about="Long parts of it are in the order 0, 1, 2 …: shuffle(stream, rng) before learning online.",
        ),
    )
}
