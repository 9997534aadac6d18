// examples/shard-coordinator/shard-coordinator.mutants.ts
import { simulation } from "wavetank";

// examples/shard-coordinator/shard-processes.ts
import { knob } from "wavetank";
var CLUSTER = "tank";
var API_PORT = 7300;
var LEASE_MS = 500;
var COOLDOWN_MS = 100;
var PEER_PORT = 7200;
var memberOf = (host) => `${host}=${host}:${PEER_PORT}/${host}:${API_PORT}`;
function coordinators(mutant3) {
  return {
    entry: "./server.js",
    count: [3, 5],
    onExit: "restart",
    env: ({ host, hosts }) => ({
      WAVETANK_MUTANT: mutant3,
      COORDINATOR_TRACE: "1",
      RAFT_ID: host,
      RAFT_CLUSTER: CLUSTER,
      RAFT_DATA: "/data",
      RAFT_PEER_ADDRESS: `${host}:${PEER_PORT}`,
      RAFT_API_ADDRESS: `${host}:${API_PORT}`,
      RAFT_MEMBERS: hosts.coordinator.map(memberOf).join(","),
      RAFT_ELECTION_MS: "300",
      RAFT_HEARTBEAT_MS: "60",
      RAFT_SNAPSHOT_ENTRIES: String(knob("snapshot entries", 20, [3, 60])),
      RAFT_TRAILING_ENTRIES: "0"
    })
  };
}

// examples/mutants.js
var active = process.env.WAVETANK_MUTANT;

// examples/shard-coordinator/ids.js
import { createHash } from "node:crypto";
function isDerived(id) {
  return id[0] >= "8";
}
function hashOf(op, payload) {
  return digest([op, payload]).slice(0, 16);
}
function digest(value) {
  return createHash("sha256").update(JSON.stringify(value, inOrder)).digest("hex");
}
function inOrder(_name, value) {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value;
}

// examples/shard-coordinator/ranges.js
function isIn({ start, end }, key2) {
  return key2 >= start && (end === "" || key2 < end);
}

// examples/shard-coordinator/coordinator.js
var LIMITS = {
  shardOperations: 16,
  runOperations: 8,
  children: 256,
  spawned: 1024,
  shardsPerTenant: 4096,
  shards: 16384,
  keyChars: 256,
  tokenChars: 1024
};

// examples/shard-coordinator/errors.js
var ERRORS = {
  "run-not-found": { status: 404, class: "fatal", message: "there is no such run" },
  "run-exists": { status: 409, class: "fatal", message: "a run with this name exists" },
  "run-not-active": { status: 409, class: "retryable", message: "the run has no shards yet" },
  "run-registered": { status: 409, class: "fatal", message: "the run has its shards already" },
  "run-terminal": { status: 409, class: "fatal", message: "the run is over" },
  "run-unfinished": { status: 409, class: "retryable", message: "a shard of the run is not done" },
  "shard-not-found": { status: 404, class: "fatal", message: "the run has no such shard" },
  "tenant-mismatch": { status: 403, class: "fatal", message: "the run belongs to another tenant" },
  "lease-held": {
    status: 409,
    class: "retryable",
    message: "another lease is in force",
    details: ["retryAfterMs"]
  },
  "none-available": {
    status: 409,
    class: "retryable",
    message: "no shard is free",
    details: ["retryAfterMs"]
  },
  throttled: {
    status: 429,
    class: "retryable",
    message: "a worker waits between two claims",
    details: ["retryAfterMs"]
  },
  "stale-fence": {
    status: 409,
    class: "fatal",
    message: "the shard has had another lease since",
    details: ["presented", "current"]
  },
  "lease-expired": {
    status: 409,
    class: "fatal",
    message: "the lease is over",
    details: ["deadlineMs", "nowMs"]
  },
  "not-owner": { status: 409, class: "fatal", message: "the lease belongs to another worker" },
  "shard-terminal": { status: 409, class: "fatal", message: "the shard is done, split or parked" },
  "not-parked": { status: 409, class: "fatal", message: "the shard is not parked" },
  "operation-conflict": { status: 409, class: "escalation", message: "this id was used for something else" },
  "cursor-missing-key": { status: 422, class: "escalation", message: "a cursor has a key" },
  "cursor-key-too-large": { status: 422, class: "escalation", message: "the key of the cursor is too long" },
  "cursor-token-too-large": {
    status: 422,
    class: "escalation",
    message: "the token of the cursor is too long"
  },
  "cursor-regression": { status: 422, class: "escalation", message: "a cursor never goes back" },
  "cursor-out-of-bounds": { status: 422, class: "escalation", message: "the cursor is outside the shard" },
  "ranges-invalid": {
    status: 422,
    class: "escalation",
    message: "two ranges overlap, or one has no room for a key"
  },
  "split-invalid": { status: 422, class: "escalation", message: "the parts are not exactly the shard" },
  "finding-out-of-bounds": {
    status: 422,
    class: "escalation",
    message: "a finding lies outside the shard"
  },
  "resource-exhausted": { status: 429, class: "escalation", message: "a limit of shards is reached" }
};
var RUN = ["run-not-found", "tenant-mismatch", "run-terminal"];
var ACTIVE = [...RUN, "run-not-active"];
var LEASE = [...ACTIVE, "shard-not-found", "shard-terminal", "stale-fence", "lease-expired", "not-owner"];
var ID = "operation-conflict";
var CURSOR = [
  "cursor-missing-key",
  "cursor-key-too-large",
  "cursor-token-too-large",
  "cursor-regression",
  "cursor-out-of-bounds"
];
var ERRORS_OF = {
  "create-run": ["run-exists", ID],
  "register-shards": [...RUN, ID, "run-registered", "ranges-invalid", "resource-exhausted"],
  "complete-run": [...ACTIVE, ID, "run-unfinished"],
  "fail-run": [...ACTIVE, ID],
  "cancel-run": [...RUN, ID],
  unpark: [...ACTIVE, ID, "shard-not-found", "not-parked"],
  claim: [...ACTIVE, "throttled", "none-available"],
  acquire: [...ACTIVE, "shard-not-found", "shard-terminal", "lease-held"],
  renew: LEASE,
  record: [...LEASE, "finding-out-of-bounds"],
  checkpoint: [...LEASE, ID, ...CURSOR],
  complete: [...LEASE, ID, ...CURSOR],
  park: [...LEASE, ID],
  "split-replace": [...LEASE, ID, "split-invalid", "resource-exhausted"],
  "split-residual": [...LEASE, ID, "split-invalid", "resource-exhausted"]
};

// examples/shard-coordinator/shard-refusals.ts
var LEASED = /* @__PURE__ */ new Set([
  "renew",
  "record",
  "checkpoint",
  "complete",
  "park",
  "split-replace",
  "split-residual"
]);
var ORDER = [
  "run-not-found",
  "tenant-mismatch",
  "run-terminal",
  "run-not-active",
  "shard-not-found",
  "shard-terminal",
  "stale-fence",
  "lease-expired",
  "not-owner"
];
function dueRefusal({ command, nowMs }, run2, shard) {
  const lease = shard?.lease ?? null;
  const failed = {
    "run-not-found": run2 === void 0,
    "tenant-mismatch": run2?.tenant !== command.tenant,
    "run-terminal": run2?.state !== "initializing" && run2?.state !== "active",
    "run-not-active": run2?.state === "initializing",
    "shard-not-found": shard === void 0,
    "shard-terminal": shard?.state !== "active",
    "stale-fence": shard?.fence !== command.fence,
    "lease-expired": lease === null || nowMs >= lease.deadlineMs,
    "not-owner": lease?.owner !== command.worker
  };
  return ORDER.find((error) => failed[error]) ?? null;
}
function orderProblem(step, run2, shard) {
  const { error } = step.result;
  if (error === void 0 || error === "operation-conflict" || !LEASED.has(step.command.op)) return null;
  const due = dueRefusal(step, run2, shard);
  if (due === null)
    return ORDER.includes(error) ? `${error}, but nothing is wrong` : null;
  return error === due ? null : `${error}, but ${due} comes first`;
}
function undocumented({ command: { op }, result }) {
  const { error, ...details } = result;
  if (error === void 0) return null;
  if (!ERRORS_OF[op].includes(error)) return `${error} is no error of ${op}`;
  const extra = Object.keys(details).filter((name) => !(ERRORS[error].details ?? []).includes(name));
  return extra.length === 0 ? null : `${error} with ${extra.join(", ")}`;
}

// examples/shard-coordinator/shard-rules.ts
var RULES = [
  "an old fence is refused",
  "an expired lease does nothing",
  "checks come in their order",
  "a refusal says what is documented, and no more",
  "what is refused or answered again changes nothing",
  "only the holder of a lease works on its shard",
  "a terminal shard stays as it is",
  "a shard has at most one lease at a time",
  "the fence of a shard rises with every new holder",
  "a shard that is unparked has a new fence",
  "a repeated operation gets its first answer",
  "an operation id stands for one operation",
  "a cursor never goes back",
  "a cursor stays inside its shard",
  "the children of a split cover their parent exactly",
  "the answer to a split names its children",
  "a record is whole",
  "a run that is over stays as it is",
  "a worker waits between two claims",
  "a claim gets the first free shard",
  "the hint says how many shards are free",
  "a finding names a lease that was given",
  "a finding has the fence of its shard",
  "no finding comes after the end of its shard",
  "the fences of the ledger never fall",
  "a finding is recorded once",
  "cluster time does not run ahead of real time",
  "servers agree on every entry",
  "a server ends only for a reason"
];
function shardRules(onStep = () => {
}) {
  const watch = new RuleWatch(onStep);
  const invariants = RULES.map((rule, at) => [
    rule,
    (context) => {
      if (at === 0) watch.absorb(context);
      return watch.broken.get(rule) ?? true;
    }
  ]);
  return Object.fromEntries(invariants);
}
var TAKING = /* @__PURE__ */ new Set(["claim", "acquire"]);
var RuleWatch = class {
  broken = /* @__PURE__ */ new Map();
  shards = /* @__PURE__ */ new Map();
  runs = /* @__PURE__ */ new Map();
  findings = /* @__PURE__ */ new Set();
  /** The owner of every fence of every shard. */
  given = /* @__PURE__ */ new Map();
  /** The newest fence of the ledger, by shard. */
  ledgerFences = /* @__PURE__ */ new Map();
  /** The child of every residual split, also when the log has forgotten the split. */
  residuals = /* @__PURE__ */ new Map();
  /** When each worker of each run last got a shard by a claim. */
  claims = /* @__PURE__ */ new Map();
  said = /* @__PURE__ */ new Map();
  newest = 0;
  onStep;
  constructor(onStep = () => {
  }) {
    this.onStep = onStep;
  }
  absorb({ events, nowMs }) {
    for (const { name, data, source } of events) {
      if (name === "stdout") this.line(source, data, nowMs);
      else if (name === "process") this.ended(data);
    }
  }
  /** A line of a server. */
  line(server, text, realMs = Infinity) {
    if (!text.startsWith('{"index":')) return;
    const index = parseInt(text.slice('{"index":'.length), 10);
    const before = this.said.get(index);
    if (before !== void 0) {
      if (before !== text)
        this.breaks(
          "servers agree on every entry",
          `entry ${index}: ${server} says ${text}, another server ${before}`
        );
      return;
    }
    this.said.set(index, text);
    if (index < this.newest) return;
    this.newest = index;
    const step = JSON.parse(text);
    if (step.nowMs > realMs)
      this.breaks("cluster time does not run ahead of real time", `${step.nowMs} ms, really ${realMs} ms`);
    this.step(step);
  }
  breaks(rule, how) {
    if (!this.broken.has(rule)) this.broken.set(rule, how);
  }
  step(step) {
    const { command, result } = step;
    const shard = this.shards.get(`${command.run}/${command.shard}`);
    const done = result.error === void 0 && result.replayed !== true;
    if (shard !== void 0) this.repeated(step, shard);
    this.refused(step, shard);
    if (done && LEASED.has(command.op) && shard !== void 0) this.leased(step, shard);
    if (done && command.op === "claim") this.claimed(step);
    for (const run2 of step.runs) this.runChanged(step, run2);
    if (done && command.op.startsWith("split-") && shard !== void 0) this.split(step, shard);
    for (const each of step.shards) this.shardChanged(step, each);
    this.ledger(step, shard);
    if (done && typeof result.available === "number") this.hint(step);
    this.onStep(step, shard);
  }
  refused(step, shard) {
    const { command, result, shards, runs, findings } = step;
    const order = orderProblem(step, this.runs.get(command.run), shard);
    const unfenced = result.error === "not-owner" && shard?.fence !== command.fence;
    if (order !== null)
      this.breaks(
        unfenced ? "an old fence is refused" : "checks come in their order",
        `${told(command)}: ${order}`
      );
    const extra = undocumented(step);
    if (extra !== null)
      this.breaks("a refusal says what is documented, and no more", `${told(command)}: ${extra}`);
    const changed = [...shards, ...runs, ...findings].length;
    if (changed > 0 && (result.error !== void 0 || result.replayed === true))
      this.breaks("what is refused or answered again changes nothing", `${told(command)}: ${result.error}`);
  }
  /** S5: what a log says was done is not done again, and an id is not used for something else. */
  repeated({ command, result }, shard) {
    if (this.runs.get(command.run)?.tenant !== command.tenant) return;
    const first = shard.log.find(({ id }) => id === command.operation);
    if (first === void 0) {
      if (command.op === "split-residual") this.forgotten(command, result);
      return;
    }
    if (isSame(first, command)) {
      const { replayed, ...again } = result;
      if (replayed !== true || JSON.stringify(again) !== JSON.stringify(first.result))
        this.breaks(
          "a repeated operation gets its first answer",
          `${told(command)}: ${JSON.stringify(result)}`
        );
    } else if (result.error !== "operation-conflict")
      this.breaks("an operation id stands for one operation", `${told(command)}: ${JSON.stringify(result)}`);
  }
  /** A residual split that is not in the log: the first of its id, or one that the log has forgotten. */
  forgotten(command, result) {
    const first = this.residuals.get(told(command));
    if (first === void 0) {
      if (result.error === void 0)
        this.residuals.set(told(command), { at: command.at, child: result.shard });
    } else if (command.at !== first.at) {
      if (result.error !== "operation-conflict")
        this.breaks(
          "an operation id stands for one operation",
          `${told(command)} at ${first.at}, then at ${command.at}: ${JSON.stringify(result)}`
        );
    } else if (result.shard !== first.child)
      this.breaks(
        "a repeated operation gets its first answer",
        `${told(command)}: not the child ${first.child}`
      );
  }
  /** L1, L2: what the holder of a lease did. */
  leased({ command, nowMs }, { fence, lease, state }) {
    const what = `${told(command)} with fence ${command.fence}`;
    if (lease !== null && nowMs >= lease.deadlineMs)
      this.breaks(
        "an expired lease does nothing",
        `${what} at ${nowMs}; the lease ended at ${lease.deadlineMs}`
      );
    if (command.op === "record") return;
    if (command.fence !== fence) this.breaks("an old fence is refused", `${what}; the shard has ${fence}`);
    if (lease?.owner !== command.worker)
      this.breaks(
        "only the holder of a lease works on its shard",
        `${what} by ${command.worker}, not ${lease?.owner}`
      );
    if (state !== "active") this.breaks("a terminal shard stays as it is", `${what}; the shard is ${state}`);
  }
  /** S1, S2, S3, S5, S6 of records. */
  shardChanged({ command, nowMs }, after) {
    const key2 = keyOf(after);
    const before = this.shards.get(key2);
    this.shards.set(key2, after);
    this.whole(after);
    if (after.cursor !== null && !isIn(after, after.cursor.key))
      this.breaks("a cursor stays inside its shard", `${after.cursor.key} in [${after.start}, ${after.end})`);
    if (before === void 0) return;
    const taken = TAKING.has(command.op);
    if (taken) this.given.set(`${key2} ${after.fence}`, command.worker);
    if (before.state !== "active" && JSON.stringify(stable(before)) !== JSON.stringify(stable(after))) {
      const unparked = before.state === "parked" && command.op === "unpark";
      if (!unparked)
        this.breaks("a terminal shard stays as it is", `${told(command)}: it was ${before.state}`);
      else if (after.fence <= before.fence)
        this.breaks("a shard that is unparked has a new fence", `it keeps ${after.fence}`);
    }
    if (taken && before.lease !== null && nowMs < before.lease.deadlineMs)
      this.breaks(
        "a shard has at most one lease at a time",
        `${command.worker} gets ${key2} at ${nowMs}; ${before.lease.owner} has it until ${before.lease.deadlineMs}`
      );
    const rise = after.fence - before.fence;
    if (rise !== (taken || command.op === "unpark" && after.fence !== before.fence ? 1 : 0))
      this.breaks(
        "the fence of a shard rises with every new holder",
        `${told(command)}: ${before.fence} \u2192 ${after.fence}`
      );
    if (before.cursor !== null && (after.cursor === null || after.cursor.key < before.cursor.key))
      this.breaks("a cursor never goes back", `${before.cursor.key} \u2192 ${after.cursor?.key}`);
  }
  /** The ten things that hold for every record. */
  whole(shard) {
    const { state, lease, log, spawned, parent, id } = shard;
    const problems = {
      "a park reason without being parked, or the reverse": shard.parkReason !== null !== (state === "parked"),
      "half a lease": lease !== null && (lease.owner === "" || !Number.isFinite(lease.deadlineMs)),
      "a lease of a terminal shard": state !== "active" && lease !== null,
      "a fence below the first": shard.fence < 1,
      "too many operations": log.length > LIMITS.shardOperations,
      "split without children": state === "split" && spawned.length === 0,
      "a parent without a derived id, or the reverse": parent !== null !== isDerived(id),
      "a child without a derived id": !spawned.every(isDerived),
      "an operation twice": new Set(log.map((each) => each.id)).size !== log.length,
      "too many children": spawned.length > LIMITS.spawned
    };
    for (const [problem, there] of Object.entries(problems))
      if (there) this.breaks("a record is whole", `${keyOf(shard)}: ${problem}`);
  }
  /** S4, S7: parts that are exactly the whole. */
  split({ command, shards, result }, before) {
    const after = shards.find(({ id }) => id === before.id);
    const fresh = shards.filter(
      ({ parent, id }) => parent === before.id && !this.shards.has(`${command.run}/${id}`)
    );
    const rest = after?.state === "active" ? [after] : [];
    const parts = [...rest, ...fresh].sort((a, b) => a.start < b.start ? -1 : 1);
    const exact = fresh.length > 0 && fresh.every(({ id }) => after?.spawned.includes(id)) && parts[0].start === before.start && parts.at(-1).end === before.end && parts.every((part, at) => at === 0 || parts[at - 1].end === part.start);
    const named2 = command.op === "split-replace" ? result.shards : [result.shard];
    const unnamed = fresh.length !== named2.length || !fresh.every(({ id }) => named2.includes(id));
    if (unnamed)
      this.breaks("the answer to a split names its children", `${named2} for ${fresh.map(({ id }) => id)}`);
    const shown = parts.map(({ start, end }) => JSON.stringify([start, end])).join(" ");
    if (!exact)
      this.breaks(
        "the children of a split cover their parent exactly",
        `[${before.start}, ${before.end}) \u2192 ${shown}`
      );
  }
  /** S8. */
  runChanged({ command }, after) {
    const before = this.runs.get(after.id);
    this.runs.set(after.id, after);
    const over = before !== void 0 && before.state !== "initializing" && before.state !== "active";
    if (over && before.state !== after.state)
      this.breaks("a run that is over stays as it is", `${told(command)}: ${before.state} \u2192 ${after.state}`);
  }
  /** S9, and that no free shard waits behind another. */
  claimed({ command, nowMs, result }) {
    const { run: id, worker } = command;
    const last = this.claims.get(`${id} ${worker}`);
    const pauseMs = this.runs.get(id)?.cooldownMs ?? 0;
    if (last !== void 0 && nowMs < last + pauseMs)
      this.breaks("a worker waits between two claims", `${worker} claims at ${last} and at ${nowMs}`);
    this.claims.set(`${id} ${worker}`, nowMs);
    const first = this.free(id, nowMs).sort((a, b) => a.start < b.start ? -1 : 1)[0];
    if (first !== void 0 && result.range.start > first.start)
      this.breaks("a claim gets the first free shard", `${result.shard}, not ${first.id}`);
  }
  /** The active shards of a run without a lease in force. */
  free(id, nowMs) {
    return [...this.shards.values()].filter(
      ({ run: run2, state, lease }) => run2 === id && state === "active" && (lease === null || nowMs >= lease.deadlineMs)
    );
  }
  hint({ command, nowMs, result }) {
    const { length } = this.free(command.run, nowMs);
    if (length !== result.available)
      this.breaks("the hint says how many shards are free", `${result.available}, not ${length}`);
  }
  /** C1 to C4, and that nothing is recorded twice. */
  ledger({ findings }, shard) {
    for (const finding of findings) {
      const key2 = `${finding.run}/${finding.shard}`;
      if (this.given.get(`${key2} ${finding.fence}`) !== finding.worker)
        this.breaks("a finding names a lease that was given", named(finding));
      if (shard?.state !== "active")
        this.breaks("no finding comes after the end of its shard", `${named(finding)}: it is ${shard?.state}`);
      else if (finding.fence !== shard.fence)
        this.breaks("a finding has the fence of its shard", `${named(finding)}: the shard has ${shard.fence}`);
      if (finding.fence < (this.ledgerFences.get(key2) ?? 0))
        this.breaks("the fences of the ledger never fall", named(finding));
      this.ledgerFences.set(key2, finding.fence);
      const where = `${finding.run}/${finding.key}`;
      if (this.findings.has(where)) this.breaks("a finding is recorded once", named(finding));
      this.findings.add(where);
    }
  }
  /** A process started or ended. */
  ended({ process: process2, change, code, signal, ordered }) {
    if (change === "exit" && !ordered && code !== 0 && code !== 4)
      this.breaks("a server ends only for a reason", `${process2} ends with ${code ?? signal}`);
  }
};
function isSame(first, { op, cursor, reason, children, at }) {
  return first.kind === op && first.hash === hashOf(op, { cursor, reason, children, at });
}
function keyOf({ run: run2, id }) {
  return `${run2}/${id}`;
}
function stable({ state, fence, start, end, cursor, spawned }) {
  return { state, fence, start, end, cursor, spawned };
}
function told({ op, run: run2, shard, operation }) {
  return `${op} of ${run2}/${shard}${operation === void 0 ? "" : ` (${operation})`}`;
}
function named({ run: run2, key: key2, shard, fence, worker }) {
  return `${run2}/${key2} by ${worker}, shard ${shard}, fence ${fence}`;
}

// examples/storm-situations.ts
import { situation } from "wavetank";
var StormSituations = class {
  names;
  declared = false;
  constructor(names) {
    this.names = names;
  }
  /** A fault begins. */
  fault() {
    if (this.declared) return;
    this.declared = true;
    for (const name of this.names) situation(name, false);
  }
  occurs(name, condition = true) {
    if (condition) situation(name);
  }
};

// examples/shard-coordinator/shard-situations.ts
var SITUATIONS = [
  "a shard is scanned to its end",
  "a lease ends during a scan",
  "a shard is split during a scan",
  "two workers want one shard",
  "an operation is answered from the log",
  "a parked shard comes back",
  "more than half of the servers start again within 3 s",
  "a lease is given while a link works in one direction only",
  "a split is repeated after the log has forgotten it",
  "a claim is throttled",
  "a claim finds nothing",
  "an id is used twice",
  "a worker with an old fence is refused",
  "a worker with the fence of another is refused"
];
var MASS_RESTART_MS = 3e3;
var ShardSituations = class {
  situations = new StormSituations(SITUATIONS);
  servers = /* @__PURE__ */ new Set();
  /** When each server last started again. */
  boots = /* @__PURE__ */ new Map();
  cuts = 0;
  /** Faults and boots. */
  absorb({ events, nowMs }) {
    for (const { data } of events.fresh("fault")) {
      this.situations.fault();
      if (data.fault.family === "one-way-cut") this.cuts += data.change === "begin" ? 1 : -1;
    }
    for (const { source, data } of events.fresh("process")) {
      if (data.change !== "boot") continue;
      this.servers.add(source);
      if (data.boot < 2) continue;
      this.boots.set(source, nowMs);
      const together = [...this.boots.values()].filter((atMs) => nowMs - atMs < MASS_RESTART_MS).length;
      this.situations.occurs(
        "more than half of the servers start again within 3 s",
        together > this.servers.size / 2
      );
    }
    return true;
  }
  /** What a command did, with the shard as it was before. */
  step({ command, result }, shard) {
    const { op } = command;
    const { error } = result;
    const { situations } = this;
    const ok = error === void 0;
    const late = error === "lease-expired" || error === "stale-fence";
    const scanned = shard !== void 0 && shard.cursor !== null;
    const remembered = shard?.log.some(({ id }) => id === command.operation) ?? false;
    situations.occurs("a shard is scanned to its end", op === "complete" && ok && scanned);
    situations.occurs("a lease ends during a scan", op === "checkpoint" && late);
    situations.occurs("a shard is split during a scan", op.startsWith("split-") && ok && scanned);
    situations.occurs("two workers want one shard", error === "lease-held");
    situations.occurs("an operation is answered from the log", result.replayed === true);
    situations.occurs("a parked shard comes back", op === "unpark" && ok);
    situations.occurs(
      "a lease is given while a link works in one direction only",
      (op === "claim" || op === "acquire") && ok && this.cuts > 0
    );
    situations.occurs(
      "a split is repeated after the log has forgotten it",
      op === "split-residual" && result.replayed === true && !remembered
    );
    situations.occurs("a claim is throttled", error === "throttled");
    situations.occurs("a claim finds nothing", error === "none-available");
    situations.occurs("an id is used twice", error === "operation-conflict");
    situations.occurs("a worker with an old fence is refused", error === "stale-fence");
    situations.occurs("a worker with the fence of another is refused", error === "not-owner");
  }
};

// examples/shard-coordinator/shard-workload.ts
import { always } from "wavetank";

// examples/raft/client.js
import { Agent, request as httpRequest } from "node:http";
import { pathToFileURL } from "node:url";
var UnknownOutcomeError = class extends Error {
  /** @override */
  name = "UnknownOutcomeError";
};
var RequestError = class extends Error {
  /** @override */
  name = "RequestError";
  /** @param {string} code @param {string} message @param {any} [details] the whole answer */
  constructor(code, message, details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
};
var TRY_AGAIN = /* @__PURE__ */ new Set(["not-leader", "overloaded", "transferring", "not-ready", "shutting-down"]);
var UNKNOWN = /* @__PURE__ */ new Set(["leadership-lost", "timeout", "connection"]);
var PAUSE_MS = 50;
var MAX_SESSIONS = 3;
var RaftClient = class {
  #cluster;
  #servers;
  #attemptMs;
  #totalMs;
  #agent = new Agent({ keepAlive: true });
  #next = 0;
  /** @type {number | null} */
  #session = null;
  #sequence = 0;
  /** @type {Promise<unknown>} */
  #tail = Promise.resolve();
  /** @param {ClientOptions} options */
  constructor({ cluster, servers, attemptMs = 1e3, totalMs = 1e4 }) {
    this.#cluster = cluster;
    this.#servers = [...servers];
    this.#attemptMs = attemptMs;
    this.#totalMs = totalMs;
  }
  /** The value of a key; null if it is not there. @param {string} key @returns {Promise<any>} */
  async get(key2) {
    try {
      return (await this.query({ op: "get", key: key2 })).value;
    } catch (error) {
      if (error instanceof RequestError && error.code === "unknown-key") return null;
      throw error;
    }
  }
  /** @param {string} key @param {unknown} value */
  async put(key2, value) {
    await this.command({ op: "put", key: key2, value });
  }
  /** Whether it was done: the value must be text, or missing. @param {string} key @param {string} value @returns {Promise<boolean>} */
  async append(key2, value) {
    return (await this.command({ op: "append", key: key2, value })).ok;
  }
  /** Whether the key had the value `from`, and has `to` now. @param {string} key @param {unknown} from @param {unknown} to @returns {Promise<boolean>} */
  async cas(key2, from, to) {
    return (await this.command({ op: "cas", key: key2, from, to })).ok;
  }
  /** Whether it was there. @param {string} key @returns {Promise<boolean>} */
  async delete(key2) {
    return (await this.command({ op: "delete", key: key2 })).ok;
  }
  /** Orders a command of any state machine, exactly once. @param {unknown} command @returns {Promise<any>} */
  command(command) {
    const done = this.#tail.then(() => this.#command(command));
    this.#tail = done.catch(() => {
    });
    return done;
  }
  /** @param {unknown} query @returns {Promise<any>} */
  async query(query) {
    return (await this.#send("/queries", { query }, true)).result;
  }
  /**
   * Asks a service that stands on this one. It is sent again when its outcome is unknown only if it is `repeatable`.
   * @param {string} path @param {object} body @param {boolean} repeatable @returns {Promise<any>}
   */
  ask(path, body, repeatable) {
    return this.#send(path, body, repeatable);
  }
  /** @param {{ id: string, peer: string, api: string }} add */
  async addMember(add) {
    return (await this.#send("/members", { add }, false)).members;
  }
  /** @param {string} remove */
  async removeMember(remove) {
    return (await this.#send("/members", { remove }, false)).members;
  }
  /** @param {string} [to] */
  async transfer(to) {
    return (await this.#send("/transfers", { to }, false)).successor;
  }
  /** @param {string} server */
  async status(server) {
    return (await this.#exchange(server, "GET", "/status", null)).body;
  }
  /** Asks this server first. @param {string} server */
  prefer(server) {
    if (!this.#servers.includes(server)) this.#servers.push(server);
    this.#next = this.#servers.indexOf(server);
  }
  close() {
    this.#agent.destroy();
  }
  /** @param {unknown} command @returns {Promise<any>} */
  async #command(command) {
    for (let attempt = 1; ; attempt++) {
      if (this.#session === null) {
        this.#session = (await this.#send("/sessions", {}, true)).session;
        this.#sequence = 0;
      }
      const sequence = ++this.#sequence;
      const session = this.#session;
      try {
        return (await this.#send("/commands", { session, sequence, command }, true)).result;
      } catch (error) {
        if (!(error instanceof RequestError)) this.#session = null;
        else if (error.code === "session-expired") {
          this.#session = null;
          if (attempt < MAX_SESSIONS) continue;
        }
        throw error;
      }
    }
  }
  /**
   * Sends a request until a server answers it.
   * @param {string} path @param {object} body @param {boolean} repeatable whether it may be sent again when its outcome is unknown
   * @returns {Promise<any>}
   */
  async #send(path, body, repeatable) {
    const untilMs = performance.now() + this.#totalMs;
    const text = JSON.stringify({ cluster: this.#cluster, ...body });
    let unknown = false;
    let last = "no server answered";
    while (performance.now() < untilMs) {
      const server = this.#servers[this.#next % this.#servers.length];
      const { status, body: answer } = await this.#exchange(server, "POST", path, text);
      if (status === 200) return answer;
      const { error, message, leader } = answer;
      last = `${error}: ${message}`;
      if (UNKNOWN.has(error)) {
        if (!repeatable) throw new UnknownOutcomeError(last);
        unknown = true;
      } else if (error === "session-expired" && unknown) throw new UnknownOutcomeError(last);
      else if (!TRY_AGAIN.has(error)) throw new RequestError(error, message, answer);
      await this.#moveOn(server, leader);
    }
    if (unknown && path !== "/queries") throw new UnknownOutcomeError(last);
    throw new RequestError("unavailable", last);
  }
  /** @param {string} server @param {{ api: string } | null | undefined} leader */
  async #moveOn(server, leader) {
    if (leader?.api !== void 0 && leader.api !== server) {
      this.prefer(leader.api);
      return;
    }
    this.#next++;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  /** @param {string} server @param {string} method @param {string} path @param {string | null} text @returns {Promise<{ status: number, body: any }>} */
  #exchange(server, method, path, text) {
    return new Promise((resolve) => {
      const failed = ({ message }) => resolve({ status: 0, body: { error: "connection", message: `${server}: ${message}` } });
      const headers = text === null ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
      const request = httpRequest(
        `http://${server}${path}`,
        { method, headers, agent: this.#agent },
        (response) => {
          let answer = "";
          response.setEncoding("utf8");
          response.on("data", (part) => answer += part);
          response.on("error", failed);
          response.on("end", () => {
            try {
              resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) });
            } catch (error) {
              failed(
                /** @type {Error} */
                error
              );
            }
          });
        }
      );
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${this.#attemptMs} ms`)),
        this.#attemptMs
      );
      request.on("close", () => clearTimeout(timer));
      request.on("error", failed);
      request.end(text ?? void 0);
    });
  }
};
if (process.argv[1] !== void 0 && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [cluster, servers, op, key2, value] = process.argv.slice(2);
  const client = new RaftClient({ cluster, servers: servers.split(",") });
  try {
    if (op === "status")
      for (const server of servers.split(",")) console.log(server, await client.status(server));
    else if (op === "get") console.log(await client.get(key2));
    else if (op === "put") console.log(await client.put(key2, value) ?? "ok");
    else if (op === "append") console.log(await client.append(key2, value) ? "ok" : "the value is no text");
    else if (op === "delete") console.log(await client.delete(key2) ? "ok" : "there was none");
    else throw new Error(`unknown operation ${op}`);
  } catch (error) {
    console.error(String(error));
    process.exitCode = 1;
  }
  client.close();
}

// examples/shard-coordinator/client.js
var ASKED_ONCE = /* @__PURE__ */ new Set(["claim", "acquire"]);
var CoordinatorClient = class {
  #raft;
  #common;
  /** @param {{ cluster: string, servers: readonly string[], tenant: string, run: string, attemptMs?: number, totalMs?: number }} options */
  constructor({ tenant, run: run2, ...options }) {
    this.#raft = new RaftClient(options);
    this.#common = { tenant, run: run2 };
  }
  /** @param {string} op one of the commands and queries of machine.js @param {object} [fields] @returns {Promise<any>} */
  ask(op, fields = {}) {
    return this.#raft.ask(`/${op}`, { ...this.#common, ...fields }, !ASKED_ONCE.has(op));
  }
  /** @param {string} server */
  status(server) {
    return this.#raft.status(server);
  }
  close() {
    this.#raft.close();
  }
};

// examples/shard-coordinator/shard-client.ts
import { fail } from "wavetank";
var TENANT = "acme";
var RUN2 = "scan";
var KEYS = 120;
var key = (number) => `k${String(number).padStart(3, "0")}`;
var numberOf = (text) => Number(text.slice(1));
var clientOf = (hosts, run2 = RUN2, totalMs = 1500) => {
  const servers = hosts.coordinator.map((host) => `${host}:${API_PORT}`);
  return new CoordinatorClient({ cluster: CLUSTER, servers, tenant: TENANT, run: run2, attemptMs: 400, totalMs });
};
var sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function send(context, op, more, lease = context.state.lease) {
  const { state } = context;
  if (lease === null) return null;
  const { shard, fence, worker = state.worker } = lease;
  const withId = op === "renew" || op === "record" ? {} : { operation: `${state.worker}-${++state.operations}` };
  const fields = { shard, fence, worker, ...withId, ...more };
  if ("operation" in fields) state.sent.push({ op, fields });
  return ask(context, op, fields);
}
async function ask({ state, operation }, op, fields) {
  state.asked++;
  const { shard, ...input } = fields;
  const outcome = await operation(op, { key: shard, input }, async () => {
    try {
      return await state.client.ask(op, fields);
    } catch (error) {
      if (error instanceof RequestError) fail(`${error.code}: ${error.message}`);
      throw error;
    }
  });
  if (outcome.type === "ok") return outcome.value;
  return null;
}
function drop({ state }) {
  if (state.lease !== null) state.old.push({ ...state.lease, worker: state.worker });
  state.lease = null;
}
function take(context, answer) {
  if (answer === null) return;
  drop(context);
  context.state.lease = answer;
}
async function claim(context) {
  take(context, await ask(context, "claim", { worker: context.state.worker }));
}
function ahead({ rng }, { range, cursor }) {
  const from = cursor === null ? numberOf(range.start) : numberOf(cursor.key) + 1;
  const to = numberOf(range.end);
  return from < to ? rng.between(from, Math.min(to - 1, from + 9)) : null;
}
async function scan(context) {
  const { lease } = context.state;
  const at = lease === null ? null : ahead(context, lease);
  if (lease === null || at === null) return;
  const cursor = { key: key(at), token: "" };
  await send(context, "record", { keys: [key(at)] });
  if (await send(context, "checkpoint", { cursor }) !== null) lease.cursor = cursor;
}
async function complete(context) {
  const { lease } = context.state;
  if (lease === null) return;
  const cursor = { key: key(numberOf(lease.range.end) - 1), token: "" };
  const { shard, fence } = lease;
  if (await send(context, "complete", { cursor }) !== null) {
    context.state.completed++;
    drop(context);
    if (context.rng.chance(0.3)) await send(context, "record", { keys: [cursor.key] }, { shard, fence });
  }
}
async function residual(context) {
  const { lease } = context.state;
  const at = lease === null ? null : ahead(context, lease);
  if (lease === null || at === null || key(at) === lease.range.start) return null;
  const done = await send(context, "split-residual", { at: key(at) });
  if (done !== null) lease.range = { ...lease.range, end: key(at) };
  return done;
}
function halves({ range }, gap) {
  const [from, to] = [numberOf(range.start), numberOf(range.end)];
  const middle = Math.floor((from + to) / 2);
  if (middle === from || middle + 1 >= to) return null;
  return [
    { start: range.start, end: key(middle) },
    { start: key(gap ? middle + 1 : middle), end: range.end }
  ];
}
async function replace(context, gap = false) {
  const { lease } = context.state;
  const children = lease === null ? null : halves(lease, gap);
  if (children !== null && await send(context, "split-replace", { children }) !== null) drop(context);
}

// examples/shard-coordinator/shard-overload.ts
import { sometimes, sometimesGreaterThan } from "wavetank";
var FLEET = 6;
var MOST_COMPLETIONS = 2;
var Fleet = class {
  members;
  context;
  done = 0;
  asked;
  constructor(context) {
    this.context = context;
    this.asked = context.state.asked;
    const { worker } = context.state;
    this.members = Array.from({ length: FLEET }, (_, at) => ({ worker: `${worker}-${at}`, lease: null }));
  }
  /** Every member without a lease claims one; returns how many shards they got. */
  async claim(members = this.members) {
    const got = members.map(async (member) => {
      member.lease ??= await ask(this.context, "claim", { worker: member.worker });
      return member.lease === null ? 0 : 1;
    });
    return sum(await Promise.all(got));
  }
  /** Members complete what they hold, a few at most, so that there is work left; returns how many could. */
  async complete(members = this.members) {
    const busy = members.filter(({ lease }) => lease !== null).slice(0, MOST_COMPLETIONS);
    const done = busy.map(async (member) => {
      const { lease, worker } = member;
      member.lease = null;
      if (lease === null) return 0;
      const cursor = { key: key(numberOf(lease.range.end) - 1), token: "" };
      return await send(this.context, "complete", { cursor }, { ...lease, worker }) === null ? 0 : 1;
    });
    const count = sum(await Promise.all(done));
    this.done += count;
    return count;
  }
  /** Every member replaces what it holds by two halves; returns how many could. */
  async split() {
    const done = this.members.map(async (member) => {
      const { lease, worker } = member;
      const children = lease === null ? null : halves(lease, false);
      if (lease === null || children === null) return 0;
      member.lease = null;
      this.context.state.old.push({ ...lease, worker });
      return await send(this.context, "split-replace", { children }, { ...lease, worker }) === null ? 0 : 1;
    });
    return sum(await Promise.all(done));
  }
  goodput(scenario) {
    const requests = Math.max(1, this.context.state.asked - this.asked);
    const message = `goodput of ${scenario}: completions per 100 requests`;
    sometimesGreaterThan(100 * this.done / requests, 0, message);
  }
};
var OVERLOAD = {
  /** More workers than shards claim at once. */
  async burst(context) {
    const fleet = new Fleet(context);
    const got = await fleet.claim();
    sometimes(got > 0 && got < FLEET, "a burst of claims meets too few shards");
    await fleet.complete();
    fleet.goodput("a burst of claims");
  },
  /** Half of the fleet sleeps through its leases; the others take over, and the sleepers come back. */
  async drop(context) {
    const fleet = new Fleet(context);
    const sleepers = fleet.members.filter((_, at) => at % 2 === 0);
    const awake = fleet.members.filter((_, at) => at % 2 === 1);
    await fleet.claim();
    await fleet.complete(awake);
    await sleep(4 * LEASE_MS);
    await fleet.claim(awake);
    const late = await fleet.complete(sleepers);
    sometimes(late === 0, "half of the workers come back after their leases have ended");
    await sleep(COOLDOWN_MS);
    await fleet.claim(sleepers);
    sometimes(await fleet.complete() > 0, "a shard is completed after a drop of capacity");
    fleet.goodput("a drop of capacity");
  },
  /** The whole fleet splits what it holds, and works on the parts. */
  async shatter(context) {
    const fleet = new Fleet(context);
    await fleet.claim();
    sometimes(await fleet.split() > 1, "a burst of splits");
    await sleep(COOLDOWN_MS);
    await fleet.claim();
    await fleet.complete();
    fleet.goodput("a burst of splits");
  }
};
function sum(counts) {
  return counts.reduce((total, each) => total + each, 0);
}

// examples/shard-coordinator/shard-workload.ts
var STARTS = [0, 40, 60, 80, 100];
var EVERYTHING = {
  claim: 6,
  scan: 8,
  acquire: 3,
  complete: 2,
  renew: 2,
  residual: 2,
  replace: 2,
  park: 1,
  unpark: 2,
  replay: 3,
  conflict: 2,
  zombie: 3,
  impostor: 2,
  nonsense: 2,
  edge: 2,
  forgotten: 1,
  cancel: 1,
  burst: 1,
  drop: 1,
  shatter: 1
};
var WITHOUT_LEASE = ["acquire", "unpark", "replay", "zombie", "cancel", ...Object.keys(OVERLOAD)];
var workload = workloadOf(EVERYTHING);
function workloadOf(turns) {
  return { ...BASE, run: (context) => run(context, turns) };
}
async function run(context, turns) {
  const turn = context.rng.operation(turns);
  const get = "claim" in turns ? claim : TURNS.acquire;
  if (context.state.lease === null && !WITHOUT_LEASE.includes(turn)) await get(context);
  await TURNS[turn](context);
}
var BASE = {
  clients: [2, 4],
  operations: [8, 20],
  async setup({ hosts }) {
    const client = clientOf(hosts, RUN2, 2e4);
    await client.ask("create-run", { operation: "create", leaseMs: LEASE_MS, cooldownMs: COOLDOWN_MS });
    const shards = STARTS.map((from, at) => ({ start: key(from), end: key(STARTS[at + 1] ?? KEYS) }));
    await client.ask("register-shards", { operation: "register", shards });
    client.close();
  },
  open: ({ client, hosts }) => ({
    client: clientOf(hosts),
    worker: `w${client}`,
    lease: null,
    old: [],
    sent: [],
    operations: 0,
    asked: 0,
    completed: 0
  }),
  settled: async ({ hosts }) => {
    const client = clientOf(hosts);
    const all = await Promise.all(hosts.coordinator.map((host) => client.status(`${host}:${API_PORT}`)));
    client.close();
    const leader = all.find(({ role }) => role === "leader");
    return leader !== void 0 && all.every(({ commit }) => commit === leader.lastIndex);
  },
  /** S6, progress: without faults, one worker brings the run to its end. */
  async final({ state, client, hosts }) {
    if (client !== 0) return;
    const patient = clientOf(hosts, RUN2, 2e4);
    const end = await finish(patient, state.worker).catch(String);
    patient.close();
    always(end === "done", "after a storm the run comes to its end", { end });
  }
};
async function finish(patient, worker) {
  const { shards: parked } = await patient.ask("shards", { filter: "parked" });
  for (const { id } of parked) await patient.ask("unpark", { shard: id, operation: `last-${id}` });
  const { shards } = await patient.ask("shards", { filter: "active" });
  await sleep(LEASE_MS);
  for (const { id } of shards) {
    const { shard, fence } = await acquire(patient, id, worker);
    await patient.ask("complete", { shard, fence, worker, operation: "last", cursor: null });
  }
  return (await patient.ask("complete-run", { operation: "last" })).state;
}
async function acquire(patient, shard, worker) {
  try {
    return await patient.ask("acquire", { shard, worker });
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "lease-held") throw error;
    await sleep(error.details.retryAfterMs);
    return await patient.ask("acquire", { shard, worker });
  }
}
var TURNS = {
  ...OVERLOAD,
  claim,
  scan,
  complete,
  replace: (context) => replace(context),
  async residual(context) {
    await residual(context);
    if (context.rng.chance(0.4)) await replace(context);
  },
  async acquire(context) {
    const { state, rng } = context;
    const known = [
      ...state.old.map(({ shard }) => shard),
      "0000000000000000",
      "0000000000000001",
      "0000000000000002"
    ];
    take(context, await ask(context, "acquire", { worker: state.worker, shard: rng.pick(known) }));
  },
  renew: (context) => send(context, "renew", {}),
  async park(context) {
    const reason = context.rng.pick([
      "poisoned",
      "permission-denied",
      "not-found",
      "too-many-errors",
      "other"
    ]);
    if (await send(context, "park", { reason }) !== null) drop(context);
  },
  async unpark(context) {
    const list = await ask(context, "shards", { filter: "parked" });
    if (list === null || list.shards.length === 0) return;
    const { id } = context.rng.pick(list.shards);
    const { state } = context;
    await ask(context, "unpark", { shard: id, operation: `${state.worker}-u${++state.operations}` });
    state.old.push({ shard: id, fence: 1, worker: state.worker });
  },
  /** The same operation again, as after a lost answer. */
  async replay(context) {
    const { state, rng } = context;
    if (state.sent.length === 0) return;
    const { op, fields } = rng.chance(0.5) ? state.sent.at(-1) : rng.pick(state.sent);
    await ask(context, op, fields);
  },
  /** The same id for something else. */
  async conflict(context) {
    await scan(context);
    const last = context.state.sent.at(-1);
    if (last === void 0) return;
    await ask(context, "checkpoint", { ...last.fields, cursor: { key: last.fields.shard, token: "other" } });
  },
  /** A lease of the past: the worker was restarted, or slept. */
  async zombie(context) {
    const { state, rng } = context;
    if (state.old.length === 0) return;
    const lease = rng.pick(state.old);
    const cursor = { key: key(rng.below(KEYS)), token: "zombie" };
    if (rng.chance(0.5)) await send(context, "checkpoint", { cursor }, lease);
    else await send(context, "record", { keys: [cursor.key] }, lease);
  },
  /** The right fence, from a worker that does not hold the lease. */
  async impostor(context) {
    const { lease } = context.state;
    if (lease === null) return;
    await send(context, "renew", {}, { ...lease, worker: "impostor" });
  },
  /** Splits and cursors that make no sense. */
  async nonsense(context) {
    const { state, rng } = context;
    const { lease } = state;
    if (lease === null) return;
    if (rng.chance(0.4)) return replace(context, true);
    await scan(context);
    const outside = rng.chance(0.5);
    const wrong = outside ? lease.range.end : lease.range.start;
    await send(context, "checkpoint", { cursor: { key: wrong, token: "" } });
    if (!outside) await send(context, "record", { keys: [wrong] });
  },
  /** The instant at which a lease ends. */
  async edge(context) {
    await claim(context);
    if (context.state.lease === null) return;
    await sleep(LEASE_MS);
    await send(context, "renew", {});
    await sleep(COOLDOWN_MS);
    await claim(context);
  },
  /** A split that the log has forgotten, once more; then something else under its id. */
  async forgotten(context) {
    const { state } = context;
    if (await residual(context) === null) return;
    const split = state.sent.at(-1);
    const { lease } = state;
    if (lease === null) return;
    for (let i = 0; i <= LIMITS.shardOperations; i++) {
      const same = lease.cursor ?? { key: lease.range.start, token: "" };
      if (await send(context, "checkpoint", { cursor: same }) === null) return;
    }
    await ask(context, split.op, split.fields);
    await ask(context, split.op, { ...split.fields, at: `${split.fields.at}x` });
  },
  /** A run of its own that ends early, and is asked for more. */
  async cancel({ state, hosts, operation, rng }) {
    const client = clientOf(hosts, `${state.worker}-${++state.operations}`);
    for (const op of [
      "create-run",
      rng.pick(["cancel-run", "register-shards"]),
      "fail-run",
      "cancel-run",
      "claim"
    ]) {
      const more = {
        leaseMs: LEASE_MS,
        cooldownMs: 0,
        shards: [{ start: "", end: "" }],
        worker: state.worker
      };
      await operation(op, () => client.ask(op, { operation: op, ...more }));
    }
    client.close();
  }
};

// examples/shard-coordinator/shard-cluster.ts
function shardCluster({ mutant: mutant3 = "" } = {}) {
  const situations = new ShardSituations();
  return {
    processes: { coordinator: coordinators(mutant3) },
    workload,
    invariants: {
      ...shardRules((step, shard) => situations.step(step, shard)),
      "situations are counted": (context) => situations.absorb(context)
    },
    budget: { dead: "minority" }
  };
}

// examples/shard-coordinator/shard-scan.ts
import { always as always2 } from "wavetank";

// examples/shard-coordinator/dataset.js
var keyOf2 = (number) => `k${String(number).padStart(5, "0")}`;
function truthOf({ seed, count }) {
  return Array.from({ length: count }, (_, number) => number).filter((number) => isPlanted(seed, number)).map(keyOf2);
}
function isPlanted(seed, number) {
  return mix(seed, number) % 5 === 0;
}
function mix(seed, number) {
  let value = Math.imul(seed ^ 2654435769, 2246822507) ^ Math.imul(number + 1, 3266489909);
  value = Math.imul(value ^ value >>> 15, 739982445);
  return (value ^ value >>> 13) >>> 0;
}

// examples/shard-coordinator/shard-scan.ts
var DATA_SEED = 7;
var RECORDS = 120;
var TENANT2 = "acme";
var RUN3 = "scan";
var serversOf = (hosts) => hosts.coordinator.map((host) => `${host}:${API_PORT}`);
function clientOf2(hosts) {
  return new CoordinatorClient({
    cluster: CLUSTER,
    servers: serversOf(hosts),
    tenant: TENANT2,
    run: RUN3,
    totalMs: 2e4
  });
}
function shardScan({ mutant: mutant3 = "", count = RECORDS } = {}) {
  const data = { seed: DATA_SEED, count };
  const planted = truthOf(data);
  const passed = new PassedKeys(planted);
  return {
    processes: {
      coordinator: coordinators(mutant3),
      worker: {
        entry: "./worker.js",
        count: [2, 4],
        onExit: "restart",
        args: ({ name, hosts }) => [
          CLUSTER,
          serversOf(hosts).join(),
          TENANT2,
          RUN3,
          name,
          "/data",
          String(data.seed),
          String(data.count)
        ],
        env: { WAVETANK_MUTANT: mutant3 }
      }
    },
    workload: {
      clients: 1,
      operations: 1,
      open: () => null,
      async run({ hosts, operation }) {
        await operation("start", async () => {
          const client = clientOf2(hosts);
          await client.ask("create-run", {
            operation: "create",
            leaseMs: 2 * LEASE_MS,
            cooldownMs: COOLDOWN_MS
          });
          const shards = [
            { start: "", end: keyOf2(count / 2) },
            { start: keyOf2(count / 2), end: "" }
          ];
          await client.ask("register-shards", { operation: "register", shards });
          for (; ; ) {
            const { active: active2 } = await client.ask("progress");
            if (active2 === 0) break;
            await new Promise((resolve) => setTimeout(resolve, 200));
          }
          client.close();
        });
      },
      settled: async ({ hosts }) => {
        const client = clientOf2(hosts);
        const { state, active: active2 } = await client.ask("progress");
        if (active2 === 0 && state === "active") await client.ask("complete-run", { operation: "complete" });
        client.close();
        return state === "done";
      },
      async check({ hosts }) {
        const client = clientOf2(hosts);
        const { findings } = await client.ask("findings");
        client.close();
        const found = findings.map(({ key: key2 }) => key2).sort();
        const missed = planted.filter((key2) => !found.includes(key2));
        const wrong = found.filter((key2, at) => !planted.includes(key2) || found[at + 1] === key2);
        always2(missed.length === 0, "nothing is missed", { missed });
        always2(wrong.length === 0, "nothing is reported twice, or without being there", { wrong });
      }
    },
    invariants: {
      ...shardRules((step, shard) => passed.step(step, shard)),
      [FINDINGS_FIRST]: () => passed.broken ?? true,
      "situations are counted": workerSituations()
    },
    budget: { dead: "minority" },
    levels: { stormy: { families: { reboot: { everyMs: 400, chance: 0.8, durationMs: [50, 2e3] } } } }
  };
}
var FINDINGS_FIRST = "findings are recorded before the cursor passes them";
var PassedKeys = class {
  broken = null;
  planted;
  found = /* @__PURE__ */ new Set();
  constructor(planted) {
    this.planted = planted;
  }
  step({ command, result, findings }, shard) {
    for (const { key: key2 } of findings) this.found.add(key2);
    const { op, cursor } = command;
    const moves = (op === "checkpoint" || op === "complete") && result.error === void 0;
    if (!moves || shard === void 0) return;
    const isPassed = (key2) => isIn(shard, key2) && (op === "complete" || key2 <= cursor.key);
    const missing = this.planted.filter((key2) => isPassed(key2) && !this.found.has(key2));
    if (missing.length > 0)
      this.broken ??= `${op} of ${shard.id} by ${command.worker} passes ${missing.join(", ")}`;
  }
};
var MASS_RESTART_MS2 = 3e3;
function workerSituations() {
  const situations = new StormSituations(["a worker starts again", "most workers start again within 3 s"]);
  const boots = /* @__PURE__ */ new Map();
  return ({ events, nowMs }) => {
    for (const _ of events.fresh("fault")) situations.fault();
    for (const { data, source } of events.fresh("process")) {
      if (data.change !== "boot" || !source.startsWith("worker")) continue;
      boots.set(source, data.boot > 1 ? nowMs : -Infinity);
      situations.occurs("a worker starts again", data.boot > 1);
      const together = [...boots.values()].filter((atMs) => nowMs - atMs < MASS_RESTART_MS2).length;
      situations.occurs("most workers start again within 3 s", together > boots.size / 2);
    }
    return true;
  };
}

// examples/shard-coordinator/shard-coordinator.mutants.ts
var MUTANTS = [];
function mutant2(name, level, ...rules) {
  MUTANTS.push({ name, level, rules, simulation: `shard-coordinator ${name}` });
  return simulation(`shard-coordinator ${name}`, shardCluster({ mutant: name }));
}
var staleFence = mutant2(
  "stale-fence-accepted",
  "sunny",
  "an old fence is refused",
  "checks come in their order"
);
var deadlineIncluded = mutant2(
  "deadline-included",
  "sunny",
  "an expired lease does nothing",
  "checks come in their order"
);
var ownerNotChecked = mutant2(
  "owner-not-checked",
  "sunny",
  "only the holder of a lease works on its shard"
);
var fenceNotRaised = mutant2(
  "fence-not-raised",
  "sunny",
  "the fence of a shard rises with every new holder"
);
var claimTakesHeld = mutant2("claim-takes-held", "sunny", "a shard has at most one lease at a time");
var noCooldown = mutant2("no-cooldown", "sunny", "a worker waits between two claims");
var hintForgetsExpiry = mutant2(
  "hint-forgets-expiry",
  "sunny",
  "the hint says how many shards are free"
);
var expiryByOwnClock = mutant2(
  "expiry-by-own-clock",
  "sunny",
  "cluster time does not run ahead of real time",
  "servers agree on every entry"
);
var expiryBeforeFence = mutant2("expiry-before-fence", "sunny", "checks come in their order");
var refusalNamesOwner = mutant2(
  "refusal-names-owner",
  "sunny",
  "a refusal says what is documented, and no more"
);
var throttledClaimCounts = mutant2(
  "throttled-claim-counts",
  "sunny",
  "what is refused or answered again changes nothing"
);
var claimTakesLast = mutant2("claim-takes-last", "sunny", "a claim gets the first free shard");
var terminalLeft = mutant2("terminal-left", "sunny", "a terminal shard stays as it is");
var unparkKeepsFence = mutant2(
  "unpark-keeps-fence",
  "sunny",
  "a shard that is unparked has a new fence"
);
var parkKeepsLease = mutant2("park-keeps-lease", "sunny", "a record is whole");
var runReopened = mutant2("run-reopened", "sunny", "a run that is over stays as it is");
var leaseBeforeId = mutant2(
  "lease-before-id",
  "sunny",
  "a repeated operation gets its first answer",
  "an operation id stands for one operation"
);
var conflictNotNoticed = mutant2(
  "conflict-not-noticed",
  "sunny",
  "an operation id stands for one operation"
);
var logNotInSnapshot = mutant2(
  "log-not-in-snapshot",
  "stormy",
  "a repeated operation gets its first answer",
  "servers agree on every entry"
);
var logWithoutLimit = mutant2("log-without-limit", "sunny", "a record is whole");
var residualForgotten = mutant2(
  "residual-forgotten",
  "sunny",
  "a repeated operation gets its first answer"
);
var forgottenConflict = mutant2(
  "forgotten-conflict",
  "sunny",
  "an operation id stands for one operation"
);
var cursorGoesBack = mutant2("cursor-goes-back", "sunny", "a cursor never goes back");
var cursorLeavesShard = mutant2("cursor-leaves-shard", "sunny", "a cursor stays inside its shard");
var splitSkipsAKey = mutant2(
  "split-skips-a-key",
  "sunny",
  "the children of a split cover their parent exactly"
);
var splitGapsAccepted = mutant2(
  "split-gaps-accepted",
  "sunny",
  "the children of a split cover their parent exactly"
);
var splitAnswersAllChildren = mutant2(
  "split-answers-all-children",
  "sunny",
  "the answer to a split names its children"
);
var ledgerWithoutLease = mutant2(
  "ledger-without-lease",
  "sunny",
  "a finding has the fence of its shard",
  "no finding comes after the end of its shard",
  "a finding names a lease that was given",
  "an expired lease does nothing"
);
var ledgerTakesTwice = mutant2("ledger-takes-twice", "sunny", "a finding is recorded once");
MUTANTS.push({
  name: "cursor-before-findings",
  level: "sunny",
  rules: [FINDINGS_FIRST],
  simulation: "shard-scan cursor-before-findings"
});
var cursorBeforeFindings = simulation(
  "shard-scan cursor-before-findings",
  shardScan({ mutant: "cursor-before-findings" })
);
export {
  MUTANTS,
  claimTakesHeld,
  claimTakesLast,
  conflictNotNoticed,
  cursorBeforeFindings,
  cursorGoesBack,
  cursorLeavesShard,
  deadlineIncluded,
  expiryBeforeFence,
  expiryByOwnClock,
  fenceNotRaised,
  forgottenConflict,
  hintForgetsExpiry,
  leaseBeforeId,
  ledgerTakesTwice,
  ledgerWithoutLease,
  logNotInSnapshot,
  logWithoutLimit,
  noCooldown,
  ownerNotChecked,
  parkKeepsLease,
  refusalNamesOwner,
  residualForgotten,
  runReopened,
  splitAnswersAllChildren,
  splitGapsAccepted,
  splitSkipsAKey,
  staleFence,
  terminalLeft,
  throttledClaimCounts,
  unparkKeepsFence
};
