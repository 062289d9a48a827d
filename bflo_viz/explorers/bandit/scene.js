// A game of levers, as in bflo_viz.scenes.levers: one machine whose outcomes are drawn beforehand, and all who play it.
import { DiagonalBelief } from "../engine/beliefs.js";
import { EpsilonGreedy, Thompson, pull } from "../engine/learners/levers.js";
import { Logistic, sigmoid } from "../engine/models.js";
import { RandomState } from "../engine/random.js";

/** Odds of each lever in each round. */
function oddsOf(start, steps, { levers, odds, drift, rounds }, { odds: kinds, risen, fallen, pace, far }) {
  const [low, high] = kinds[odds];
  const [ofBest, ofOther, ...draws] = Array.from({ length: 2 + levers }, () => start.random());
  const one = Math.floor(ofBest * levers);
  const first = draws.map((draw, i) => (odds === "drawn" ? low + (high - low) * draw : i === one ? high : low));
  const best = first.indexOf(Math.max(...first));
  const other = (best + 1 + Math.floor(ofOther * (levers - 1))) % levers;
  const logs = first.map((chance) => Math.log(chance / (1 - chance)));
  const walked = (log) => {
    const around = (((log + far) % (4 * far)) + 4 * far) % (4 * far); // folded: it turns back at both ends
    return sigmoid((around < 2 * far ? around : 4 * far - around) - far);
  };
  const half = Math.floor(rounds / 2);
  const rows = [];
  for (let n = 0; n < rounds; n += 1) {
    if (n > 0) for (let i = 0; i < levers; i += 1) logs[i] += pace * steps.standardNormal();
    const row = drift === "walk" ? logs.map(walked) : [...first];
    if (drift === "rise" && n >= half) row[other] = risen;
    if (drift === "fall" && n >= half) row[best] = fallen;
    rows.push(row);
  }
  return rows;
}

/** What a player did: levers (from 0), and wins and regret, before the first round and after each. */
class Game {
  constructor(machine) {
    Object.assign(this, { machine, levers: [], wins: [0], regret: [0] });
  }

  add(lever) {
    const n = this.levers.length;
    const { odds, pays, best } = this.machine;
    this.levers.push(lever);
    this.wins.push(this.wins[n] + pays[n][lever]);
    this.regret.push(this.regret[n] + best[n] - odds[n][lever]);
  }

  /** How many of the rounds until now were played. */
  played(now) {
    return Math.min(now, this.levers.length);
  }

  /** Of each lever how often it was pulled until now, and how often it paid then. */
  tally(now) {
    const counts = this.machine.odds[0].map(() => ({ pulled: 0, paid: 0 }));
    for (let n = 0; n < this.played(now); n += 1) {
      counts[this.levers[n]].pulled += 1;
      counts[this.levers[n]].paid += this.machine.pays[n][this.levers[n]];
    }
    return counts;
  }
}

/** A machine of these settings, and the games of the players by their names: [flow, that which may not widen, SGD]. */
export class Levers {
  constructor({ seed, ...settings }, facts) {
    const { levers, rounds, eta, std, floor: minStd, epsilon } = settings;
    const rng = new RandomState(seed);
    const [start, steps, luck, own] = Array.from({ length: 4 }, () => Math.floor(2 ** 32 * rng.random()));
    this.odds = oddsOf(new RandomState(start), new RandomState(steps), settings, facts);
    const draws = new RandomState(luck);
    this.pays = this.odds.map((row) => row.map((chance) => (draws.random() < chance ? 1 : 0)));
    this.best = this.odds.map((row) => Math.max(...row));
    const prior = new DiagonalBelief(new Float64Array(levers), std);
    const learners = [
      new Thompson(prior, new Logistic(), { eta, minStd }),
      new Thompson(prior, new Logistic(), { eta, minStd, nonExpansive: true }),
      new EpsilonGreedy(levers, new Logistic(), { eta, epsilon }),
    ];
    this.games = Object.fromEntries(facts.players.map((name, i) => [name, this._played(learners[i], rounds, own)]));
  }

  /** The game of a learner, with its means and widths before the first round and after each. */
  _played(learner, rounds, seed) {
    const [game, rng] = [Object.assign(new Game(this), { means: [], widths: [] }), new RandomState(seed)];
    const keep = () => {
      game.means.push([...(learner.weights ?? learner.belief.mean)]);
      game.widths.push([...(learner.belief?.std ?? game.means[0].map(() => 0))]);
    };
    keep();
    for (let n = 0; n < rounds; n += 1) {
      game.add(pull(learner, this.pays[n], rng));
      keep();
    }
    return game;
  }

  /** The game of somebody whose pulls are digits; one beyond the last lever pulls the last. */
  replayed(pulls) {
    const game = new Game(this);
    for (const digit of pulls.slice(0, this.odds.length)) game.add(Math.min(Number(digit), this.odds[0].length) - 1);
    return game;
  }
}

/** Odds that a learner gives each lever after a round: a standard deviation below, the middle, and one above. */
export function believed({ means, widths }, now) {
  return means[now].map((mean, i) => [-1, 0, 1].map((side) => sigmoid(mean + side * widths[now][i])));
}
