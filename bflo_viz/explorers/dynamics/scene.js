// Three ways to learn from one stream, and what the belief stands for: bflo_viz.scenes.three_ways in a page, round by
// round as far as one plays. Its numbers and sentences are those of Python, given as `common`.
import { DiagonalBelief, FullBelief, SphericalBelief } from "../engine/beliefs.js";
import { copyOf } from "../engine/copies.js";
import { BeliefFlow } from "../engine/learners/belief_flow.js";
import { Logistic } from "../engine/models.js";
import { RandomState } from "../engine/random.js";
import { format } from "../shared/kit.js";
import { erf, surfaceOf } from "./surfaces.js";

const TINY = 1e-150; // no width is taken for less than this, where it divides
const EVERY = 250; // rounds between two states that are kept, to come back to
const BELIEFS = { full: FullBelief, diagonal: DiagonalBelief, spherical: SphericalBelief };
const INPUT = [1, 1]; // the surface tells each sampled weight where to go: the model is not asked

/** A run that any of its rounds can be asked for. Settings: surface, seed, eta (null: the surface's), std, flow, truth. */
export class Run {
  constructor(common, settings) {
    Object.assign(this, { common, settings });
    const { std, flow, truth, seed } = settings;
    const rng = new RandomState(seed);
    const own = new RandomState(Math.floor(2 ** 32 * rng.random()));
    const draw = (count) => Float64Array.from({ length: 2 * count }, () => std * rng.standardNormal());
    const [optimum, start, cloud] = [draw(1), draw(1), draw(common.ensemble)];
    let surface = surfaceOf(common.surfaces[settings.surface], common);
    if (truth === "drawn") surface = surface.withOptimum(...optimum);
    this.surface = surface = surface.with({ eta: settings.eta ?? surface.eta });
    this.standard = standardised(cloud);
    const localFlow = (w, _, moved) => {
      moved.set(w);
      surface.step(moved, this.state.example);
    };
    this.state = {
      n: 0,
      rng,
      own,
      learner: new BeliefFlow(new BELIEFS[flow]([0, 0], std), new Logistic(), { localFlow }),
      turn: 0, // of the cloud that the flow carries, in whitened coordinates
      point: start,
      members: this.standard.map((x) => std * x),
      seen: surface.nothingSeen(),
      example: [0, 0, 0],
    };
    this.kept = [copyOf(this.state)];
    this.ways = { point: [], bayes: [], flow: [], ensemble: [] }; // of the points and means, pair after pair
    this._note();
  }

  /** What there is to see after a round. */
  at(round) {
    const place = Math.min(Math.floor(round / EVERY), this.kept.length - 1);
    if (round < this.state.n || place * EVERY > this.state.n) this.state = copyOf(this.kept[place]);
    while (this.state.n < round) this._advance();
    return this._frame();
  }

  _advance() {
    const { state, surface } = this;
    const { rng, learner } = state;
    state.example = surface.example([rng.standardNormal(), rng.standardNormal(), rng.standardNormal()]);
    learner.step(INPUT, 1, state.own);
    state.turn += learner.belief.turn();
    surface.step(state.point, state.example);
    surface.step(state.members, state.example);
    surface.see(state.seen, state.example);
    state.n += 1;
    if (state.n === this.kept.length * EVERY) this.kept.push(copyOf(state));
    this._note();
  }

  /** Note where points and means are; a round that is done again finds its place taken. */
  _note() {
    const { state, ways, surface, settings } = this;
    if (ways.point.length > 2 * state.n) return;
    ways.point.push(...state.point);
    ways.bayes.push(...surface.meanOf(state.seen, settings.std));
    ways.flow.push(...state.learner.belief.mean);
    ways.ensemble.push(...meanOf(state.members));
  }

  _frame() {
    const { state, surface, settings, common } = this;
    const { n, learner, point, members } = state;
    const factor = factorOf(learner.belief);
    const belief = { mean: [...learner.belief.mean], factor, covariance: covarianceOf(factor) };
    const frame = {
      now: n,
      point: [...point],
      bayes: surface.posterior(state.seen, settings.std),
      belief,
      sampled: [...learner.round.weights],
      moved: [...learner.round.moved],
      cloud: this._carried(),
      members: [...members],
      fitting: n > 0 ? surface.fitting(state.example) : [],
    };
    frame.facts = factsOf(surface, frame);
    frame.sentences = sentencesOf(common, surface, frame);
    const furthest = Math.max(...[...point, ...members].map(Math.abs));
    const notice = common.notice[furthest >= common.reach ? "runaway" : settings.surface];
    frame.notice = settings.truth === "drawn" && furthest < common.reach ? `${notice} ${common.notice.drawn}` : notice;
    return frame;
  }

  /** The ensemble that the flow carries: its flows turn it in whitened coordinates, and the belief colours it. */
  _carried() {
    const { belief } = this.state.learner;
    const [c, s] = [Math.cos(this.state.turn), Math.sin(this.state.turn)];
    const points = [];
    for (let i = 0; i < this.standard.length; i += 2) {
      const [x, y] = [this.standard[i], this.standard[i + 1]];
      points.push(...belief.weight([c * x - s * y, s * x + c * y]));
    }
    return points;
  }
}

/** What there is to say of a round: distances from the nearest optimum, widths, shares on the right. */
function factsOf(surface, { point, bayes, belief, members }) {
  const facts = { sgdAway: surface.away(...point) };
  for (const [name, { mean, covariance, factor }] of Object.entries({ bayes, flow: belief })) {
    facts[`${name}Away`] = surface.away(...mean);
    const { first, below, size } = lowerOf(factor ?? choleskyOf(covariance));
    facts[`${name}Std`] = widthsOf(covariance);
    facts[`${name}Far`] = Math.min(
      ...surface.optima.map(([x, y]) => {
        const along = (x - mean[0]) / first;
        return Math.hypot(along, (y - mean[1] - below * along) / size);
      }),
    );
    facts[`${name}Right`] = 0.5 + 0.5 * erf(mean[0] / (Math.SQRT2 * first));
  }
  if (surface.twoWells) {
    facts.bayesAway = surface.away(...bayes.hill);
    facts.bayesStd = [...bayes.hillStd].sort((a, b) => a - b);
  }
  const [center, size] = [meanOf(members), members.length / 2];
  const pairs = Array.from({ length: size }, (_, i) => [members[2 * i], members[2 * i + 1]]);
  facts.ensembleAway = pairs.reduce((sum, w) => sum + surface.away(...w), 0) / size;
  facts.ensembleRight = pairs.filter(([x]) => x >= 0).length;
  facts.ensembleWide = surface.axes.map(([p, q]) =>
    Math.sqrt(pairs.reduce((sum, [x, y]) => sum + (p * (x - center[0]) + q * (y - center[1])) ** 2, 0) / size),
  );
  const [[a, b], [, c]] = belief.covariance;
  facts.flowWide = surface.axes.map(([p, q]) => Math.sqrt(p * p * a + 2 * p * q * b + q * q * c));
  return facts;
}

/** Where each learner is, how far from the nearest optimum, and how sure of it: the sentences of the Python. */
function sentencesOf({ words, tooSure, veryFar, chosen }, surface, { point, bayes, belief, members, facts }) {
  const fill = (name, values) => words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const place = ([x, y], sign = "") => `(${sign}${format(x)}, ${format(y)})`;
  const far = (x) => (x < veryFar ? format(x, 1) : words["very far"]);
  const side = (x) => words[x >= 0 ? "right" : "left"];
  const optimum = ([x]) => (surface.twoWells ? fill("side", { side: side(x) }) : words.one);
  const widths = ([least, most]) => ({ least: format(least), most: format(most) });
  const told = (mean, away, more) => ({ at: place(mean), away: format(away), optimum: optimum(mean), ...more });

  const posterior = told(bayes.mean, facts.bayesAway, { ...widths(facts.bayesStd), far: far(facts.bayesFar) });
  if (surface.twoWells) {
    posterior.around = place(bayes.hill, "±");
    posterior.where = fill(bayes.apart ? "apart" : "together", posterior);
  }
  const right = facts.flowRight;
  let judged = facts.flowFar > tooSure ? "too sure" : "fair";
  if (surface.twoWells) judged = Math.abs(right - 0.5) > chosen - 0.5 ? "chosen" : "across";
  const judgement = { far: far(facts.flowFar), right: format(100 * right, 0), side: side(right - 0.5) };
  const flow = told(belief.mean, facts.flowAway, { ...widths(facts.flowStd), judged: fill(judged, judgement) });
  const [first, second] = surface.directions;
  const [along, across] = facts.ensembleWide.map((x) => format(x));
  const [flowAlong, flowAcross] = facts.flowWide.map((x) => format(x));
  const ensemble = told(meanOf(members), facts.ensembleAway, {
    right: facts.ensembleRight,
    size: members.length / 2,
    widths: fill("widths", { first, second, along, across, flow_along: flowAlong, flow_across: flowAcross }),
  });
  return [
    fill("point", told(point, facts.sgdAway)),
    fill(surface.twoWells ? "halves" : "posterior", posterior),
    fill("belief", flow),
    fill(surface.twoWells ? "parted" : "ensemble", ensemble),
  ];
}

/** Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I. */
function standardised(points) {
  const n = points.length / 2;
  const [x0, y0] = meanOf(points);
  const centred = points.map((value, i) => value - (i % 2 ? y0 : x0));
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < 2 * n; i += 2) {
    xx += centred[i] ** 2 / n;
    xy += (centred[i] * centred[i + 1]) / n;
    yy += centred[i + 1] ** 2 / n;
  }
  const first = Math.sqrt(xx); // a Cholesky factor, and both equations solved
  const below = xy / first;
  const second = Math.sqrt(yy - below ** 2);
  return centred.map((value, i) => (i % 2 ? (value - (below * centred[i - 1]) / first) / second : value / first));
}

function meanOf(points) {
  let [x, y] = [0, 0];
  for (let i = 0; i < points.length; i += 2) {
    x += points[i];
    y += points[i + 1];
  }
  return [(2 * x) / points.length, (2 * y) / points.length];
}

/** Factor S of the covariance S Sᵀ of a belief, as rows. */
function factorOf({ factor, std }) {
  if (factor) return [[factor[0], factor[1]], [factor[2], factor[3]]];
  const [first, second] = typeof std === "number" ? [std, std] : std;
  return [[first, 0], [0, second]];
}

function covarianceOf([[a, b], [c, d]]) {
  return [[a * a + b * b, a * c + b * d], [a * c + b * d, c * c + d * d]];
}

function choleskyOf([[a, b], [, c]]) {
  const first = Math.sqrt(a);
  return [[first, 0], [b / first, Math.sqrt(c - (b / first) ** 2)]];
}

/** A factor turned into a lower triangle; a diagonal flow can be narrower for a moment than numbers can be divided by. */
function lowerOf([[a, b], [c, d]]) {
  const first = Math.max(TINY, Math.hypot(a, b));
  return { first, below: (a * c + b * d) / first, size: Math.max(TINY, Math.abs(a * d - b * c) / first) };
}

/** Standard deviations along the axes of an ellipse, the shorter one first. */
function widthsOf([[a, b], [, c]]) {
  const [middle, apart] = [(a + c) / 2, Math.hypot((a - c) / 2, b)];
  const most = middle + apart;
  return [Math.sqrt(Math.max(0, (a * c - b * b) / most)), Math.sqrt(most)];
}
