"""What notebook 03 says of its numbers and pictures."""

import numpy as np
from oracles import gaussian_kl
from scipy.optimize import minimize

from bflo_viz import DiagonalBelief, FlowExplorer, FullBelief, SphericalBelief
from bflo_viz.figures.weight_space import flow_types, subspace


def close(x, y, tolerance=1e-9):
    return bool(np.allclose(x, y, rtol=tolerance, atol=tolerance))


def by_name(scene):
    return {flow.name: flow for flow in scene.flows}


@claim("Figure 2a: 61°, u = 1.84, v = 1.20, the full flow narrows along Δ′ alone, the means step back")
def figure_2a():
    """The step of the figure, and what each flow makes of it."""
    scene = flow_types()
    flows = by_name(scene)
    turned = np.degrees(np.arctan2(*scene.w_new[::-1]) - np.arctan2(*scene.w[::-1]))
    along = scene.w_new / np.linalg.norm(scene.w_new)
    across = np.array([-along[1], along[0]])
    variance = (
        along @ flows["full"].posterior.covariance @ along,
        across @ flows["full"].posterior.covariance @ across,
    )
    return (
        round(turned) == 61
        and all(round(flows[name].angle) == 61 for name in ("full", "spherical"))
        and flows["diagonal"].angle == 0
        and close([np.linalg.norm(scene.w).round(2), np.linalg.norm(scene.w_new).round(2)], [1.84, 1.20])
        and variance[0] < 1
        and close(variance[1], 1)
        and flows["spherical"].posterior.std < 1
        and all(flows[name].posterior.mean @ scene.w_new < 0 for name in ("full", "spherical"))  # a step back
        and 0 < scene.w_new[0] < scene.w[0]  # the first is pulled in
        and scene.w[1] < 0 < scene.w_new[1]  # the second crosses
    )


claim["full never costs more"] = (
    np.all(kl["full"] <= kl["diagonal"] + 1e-12)
    and np.all(kl["full"] <= kl["spherical"] + 1e-12)
    and len(pairs) == 1000
)
claim["diagonal costs less in some"] = 0.1 < np.mean(kl["diagonal"] < kl["spherical"]) < 0.4
claim["the mean of the diagonal flow moves about twice as far as that of the full one"] = (
    1.8 < shift["diagonal"].mean() / shift["full"].mean() < 2.4
)


@claim("The spherical flow of least KL does shift more")
def exact_rule_shifts_more():
    ball = priors["spherical"]
    exact = np.array([np.linalg.norm(ball.flow(*pair, rule="exact").mean) for pair in pairs])
    return np.all(exact >= shift["spherical"] - 1e-12) and exact.mean() > 1.05 * shift["full"].mean()


claim["as printed, it shifts exactly as far as the full one, and changes the entropy by twice as much"] = close(
    shift["spherical"], shift["full"]
) and close(entropy["spherical"], 2 * entropy["full"])
claim["and not only where it compresses"] = entropy["full"].min() < -0.1 < 0.1 < entropy["full"].max()


@claim("Put ○ on the mean: one and the same shift; straight across: the full flow turns by half")
def a_shift_for_all():
    at_mean = FlowExplorer(w=[0.0, 0.0], w_new=[1.0, -0.5])
    across = FlowExplorer(w=[1.5, 0.5], w_new=[-1.5, -0.5])
    return (
        all(
            close(post.mean, [1.0, -0.5]) and close(post.covariance, np.eye(2)) for post in at_mean.posterior.values()
        )
        and across.posterior["full"].kl(across.belief["full"]) < 1e-12
        and across.posterior["diagonal"].kl(across.belief["diagonal"]) > 0.5
    )


@claim("turned by 56°, narrower along w′")
def plane_of_the_picture():
    scene = subspace()
    return round(scene.turn) == 56 and scene.stretch < 0.8 and scene.posterior.mean @ scene.after < 0


@claim("w lies on its outer outline; the full flow has to pay, the spherical one does not")
def glides():
    ellipse = FlowExplorer(axes=[1.5, 0.6], angle=30, w=[2.55, 0.78], w_new=[-0.78, 2.55])
    cost = {name: post.kl(ellipse.belief[name]) for name, post in ellipse.posterior.items()}
    out = np.linalg.norm(ellipse.belief["full"].inverse_factor @ ellipse.w)
    return abs(out - 2) < 0.01 and cost["full"] > 0.5 and cost["spherical"] < 1e-12


@claim("its mean lands beyond w′")
def lands_beyond():
    """With δ₁ = −1 the new mean lies on the ray of Δ′, further out than w′."""
    shift = four[-1, 1].mean - prior.mean
    factor = shift @ after / (after @ after)
    return factor > 1 and close(shift, factor * after, 1e-8)


claim["One of them is not zero"] = np.sum(np.abs(change) > 1e-9 * np.abs(change).max()) == 1
claim["after 2000 updates S S⁻¹ = I to twelve digits"] = error < 1e-12 and belief.dim == 20


@claim("1000 weights: a tenth, a thirtieth, a third of the KL; the diagonal flow is the exact rule")
def thousand_weights():
    found = thousand
    kl = {name: post.kl(ball) for name, post in found.items()}
    exact, diagonal = found["spherical, exact"], found["diagonal"]
    return (
        close([kl["spherical, printed"], kl["spherical, exact"], kl["full"]], [10.316, 3.346, 0.010], 1e-3)
        and close([found["spherical, printed"].std, exact.std], [0.900, 0.967], 1e-3)
        and close(diagonal.std, exact.std)
        and close(diagonal.mean, exact.mean)
        and abs(kl["spherical, exact"] / kl["spherical, printed"] - 1 / 3) < 0.01
        and abs(1 - exact.std - 1 / 30) < 0.001
        and close(np.linalg.norm(found["full"].factor, 2), 1)
        and close(found["full"].entropy() - ball.entropy(), np.log(found["spherical, printed"].std), 1e-6)
    )


@claim("along an axis it is the full flow, halfway between the axes the exact spherical flow")
def directions_of_the_pull():
    full, diagonal, printed, exact = np.array([costs[degrees] for degrees in (0, 15, 30, 45)]).T
    return (
        close(full, full[0])
        and close(printed, printed[0])
        and close(exact, exact[0])
        and close(diagonal[0], full[0])
        and close(diagonal[-1], exact[0])
        and np.all(np.diff(diagonal) > 0)
        and exact[0] < printed[0]
    )


@claim("With the limit the full and the spherical flow are one; all means go further and all pay more")
def with_the_limit():
    can, held = by_name(free), by_name(limited)
    further = all(
        np.linalg.norm(held[name].posterior.mean) > np.linalg.norm(can[name].posterior.mean)
        and held[name].kl > can[name].kl
        for name in can
    )
    one = close(held["full"].posterior.mean, held["spherical"].posterior.mean) and close(
        held["full"].posterior.covariance, np.eye(2)
    )
    first, second = zip(can["diagonal"].posterior.std, held["diagonal"].posterior.std, strict=True)
    weights = first[0] > 1 and first[1] == 1 and second[0] == second[1] < 1
    return further and one and weights and can["diagonal"].entropy_change < 0


@claim("It is also the cheapest flow that obeys the limit")
def cheapest_under_the_limit():
    """No map with singular values of at most one costs less, by a search over such maps of a ball."""
    w, w_new = np.array([0.8, 0.9]), np.array([1.8, -0.4])
    rng = np.random.default_rng(4)
    least = FullBelief(np.zeros(2), np.eye(2)).flow(w, w_new, non_expansive=True).kl(FullBelief([0, 0], np.eye(2)))

    def kl(parts):
        turn, other, first, second = parts
        R, Q = (np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]) for t in (turn, other))
        A = R @ np.diag(1 / (1 + np.exp(-np.array([first, second])))) @ Q
        return gaussian_kl(w_new - A @ w, A @ A.T, np.zeros(2), np.eye(2))

    found = min(minimize(kl, rng.normal(0, 2, size=4)).fun for _ in range(5))
    return least - 1e-9 <= found < least + 1e-2


claim["wider somewhere: many without the limit, none with it"] = wider[False] > 50 and wider[True] == 0


@claim("The cut squeezed the first weight to half of its width and made the second wider")
def the_cut():
    cut = cut_covariance
    post = oval.flow(*glide)
    std = np.sqrt(np.diag(cut))
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    rigid = turn @ oval.covariance @ turn.T
    return (
        post.kl(oval) < 1e-12
        and close(post.covariance, oval.covariance)
        and abs(std[0] / 2 - 0.5) < 0.01
        and std[1] > 0.5
        and excess > 0.1
        and sizes[0] > 2
        and np.linalg.eigvalsh(rigid - oval.covariance).max() > 0.1
    )


@claim("Each flow gives the same answer in some other coordinates as well")
def other_coordinates():
    """Full: any; diagonal: other units; spherical: rotated axes."""
    rng = np.random.default_rng(5)
    w, w_new = rng.normal(size=(2, 2))
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    units = np.diag([2.0, 0.5])
    beliefs = {
        "full": lambda M: FullBelief(np.zeros(2), M @ M.T),
        "diagonal": lambda M: DiagonalBelief(np.zeros(2), np.sqrt(np.diag(M @ M.T))),
        "spherical": lambda M: SphericalBelief(np.zeros(2), 1.0),
    }

    def same(name, M):
        make = beliefs[name]
        there = make(M).flow(M @ w, M @ w_new).kl(make(M))
        return close(there, make(np.eye(2)).flow(w, w_new).kl(make(np.eye(2))), 1e-8)

    found = {(name, k): same(name, M) for name in beliefs for k, M in enumerate((turn, units))}
    return found == {
        ("full", 0): True,
        ("full", 1): True,
        ("diagonal", 0): False,
        ("diagonal", 1): True,
        ("spherical", 0): True,
        ("spherical", 1): False,
    }


claim["3: no random map beats the least of the proof"] = min(tried) > least


def line_two(C):
    """The KL of the map with these columns."""
    shift = target - u_one * C[:, 0]
    return 0.5 * shift @ shift + 0.5 * np.sum(C**2) - np.log(abs(np.linalg.det(C))) - 1.5


@claim("3: line 2 is the KL of two Gaussians; a minimiser that knows nothing of the proof ends at its least")
def the_proof_holds():
    """By the textbook formula with covariances, and by scipy from three random maps."""
    C = np.random.default_rng(1).normal(size=(3, 3))
    mean, covariance = target - u_one * C[:, 0], C @ C.T
    textbook = 0.5 * (mean @ mean + np.trace(covariance) - np.linalg.slogdet(covariance)[1] - 3)
    starts = np.random.default_rng(2).normal(size=(3, 9))
    found = [minimize(lambda C: line_two(C.reshape(3, 3)), start).fun for start in starts]
    return np.isclose(line_two(C), textbook) and np.isclose(min(found), least, atol=1e-6)


@claim("3: Hadamard: a box is no larger than the product of its edges, and as large if they are orthogonal")
def volumes():
    boxes = np.random.default_rng(3).normal(size=(100, 4, 4))
    edges = np.prod(np.linalg.norm(boxes, axis=1), axis=1)
    turned = np.linalg.qr(boxes)[0] * [0.5, 2.0, 1.0, 3.0]
    return np.all(np.abs(np.linalg.det(boxes)) <= edges) and np.allclose(np.abs(np.linalg.det(turned)), 3.0)


@claim("3: with edges of at most 1, the least is at a = min(a*, 1)")
def non_expansive_least():
    """A grid over lengths, for steps outwards and inwards."""
    lengths = np.linspace(1e-3, 1, 4001)
    for near, far in ((1.0, 2.0), (0.5, 3.0), (2.0, 1.0)):
        costs = 0.5 * (far - lengths * near) ** 2 + 0.5 * (lengths**2 - 1 - np.log(lengths**2))
        if abs(lengths[costs.argmin()] - min(stretch(near, far), 1)) > 1e-3:
            return False
    return True


if as_stored:
    assert (explorer.w, explorer.w_new) == ([1.5, 0.0], [0.0, 1.5]) and explorer.axes == [1.0, 1.0]
    assert [round(p.kl(explorer.belief[k]), 3) for k, p in explorer.posterior.items()] == [0.0, 1.714, 0.0]
    explorer.w, explorer.w_new = [2.0, 0.0], [0.5, 0.0]
    assert check.two_flows_in_one(explorer).right
    assert ellipse.angle == 30 and not check.free_step(ellipse).right
    ellipse.w_new = [0.78, 1.65]
    assert check.free_step(ellipse).right
