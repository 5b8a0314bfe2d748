import { OF_THE_WORLD, OF_WEBHOOKS } from '../../test/simulation/faults.ts'
import { plantedSeeds } from '../../test/simulation/planted.ts'
import { PLANTED_BUGS } from '../../test/simulation/planted-bugs.ts'
import { WITH_WEBHOOKS } from '../../test/simulation/world.ts'

const INTRODUCTION = `# Deterministic simulation

\`npm run sim\` plays whole lives of the service, 200 orders and about 2,000 events each, in virtual time. The code is the
real one: ingest with its follower and journal, the order host, the verifier, the loop that consumes a partition, the folds
into views and history, what takes imports and keeps the pool of the unproved, the loops that keep them running, the audit; and in one
seed of ${WITH_WEBHOOKS} the senders of webhooks. Simulated are what it stands on: the log with its
consumer groups, the stores, the node, the index, somebody's endpoint, the clocks. Whatever happens, happens in one scheduler that a seed drives:
which call is answered next, how late, and which one never is. So a seed is one life, and the same one every time.

\`\`\`sh
npm run sim                              # 500 seeds on all cores
npm run sim -- --seeds 10000 --from 501  # as many as you like, from any one on
npm run sim -- --seed 42                 # one, with its whole trace; runs it twice and compares
npm run sim -- --planted                 # is every planted bug still found?
\`\`\`

A violation prints the seed, the invariant, and of the trace what concerns the order; the exit code is 1.

## What goes wrong

Each seed draws its own rate, 1 to 20 in 100. At each call of a process it may be late, fail, take effect and seem to have
failed, or be the last thing that the process did. Beside each event of the world, at twice that rate:

`

const CHECKS = `
## What must hold

At every write: no order is seen at a lower seq (I11), no partition goes back to an earlier watermark (I11), a watermark
that covers names an index on the node's chain (I10), and an order that is shown LIVE as of a watermark was unspent, in a
block, at that very moment of the node, or is being verified again (I10).

At an output no more proved asks, proved bids and unproved orders are open than there is room for; none gives way while there
is room, and none for itself (\`room\`). The pool is within its bounds after each write, nothing counts as imported that nobody
imported, and what only strangers vouch for is in no log, snapshot or view; what enters the log brings its story (\`pool\`). Who
labels an order that was LIVE otherwise is found as \`label\`. No change of an order arrives at the endpoint before an earlier
one that is not a dead letter (\`webhook\`). The bounds are small in a seed, so that each is met.

When the world has healed and come to rest: what \`market audit\` proves ([reliability](reliability.md): I1 to I12, I9
against the simulated node), every acknowledged command has its outcome and every unreadable record its dead letter (I1),
each order is in the state that an oracle written apart gives it (I9), the log of an order begins with what the pool knew of it,
nothing is left in the pool (\`pool\`), every change has arrived at the endpoint, dead letters by a retry (\`webhook\`), and nothing is left to be done (\`end\`). An
exception out of an order's actor is \`fault\`.

The machine's own time and chance are taken away from the thread that runs a seed: timers and randomness throw, its clock
stands still. The digest of a seed is the SHA-256 of its whole trace; \`test/simulation/simulation.integration.test.ts\` compares two runs.

Seeds 1 to 10,000 were run in one go on 22 November 2026, and none had a violation: 26 million events in 264 million steps, with
410,000 processes stopped, killed or dead of a crash and 160,000 reorgs among what went wrong. That was before strangers were among it
([ADR 46](adr/0046-strangers-in-the-simulation.md)).

## What is not simulated

- Signatures are answered from the book; scripts, HTTP (that of webhooks too) and the query index of the views have tests of their own.
- The real brokers and stores: the contract suites and \`npm run test:faults\` are theirs.

## Planted bugs

Each replaces one piece of the code under test when the simulation is built for it; where the piece is no longer there, it
fails. \`npm run sim -- --planted\` finds each from the seed below, in a life of 60 orders and 700 events.

| bug | in | seed | found as |
| --- | --- | --- | --- |
`

const ADDING = `
To add one: its name, file, the text that stands there once, and what stands there instead, in
\`test/simulation/planted-bugs.ts\`; then \`npm run sim -- --planted --search --bug 'its name'\` and \`npm run docs\`. A bug that no
seed finds is a fault or an invariant that is missing.

## Where things are

\`scheduler\` and \`process\` decide what happens next and who dies of it; \`chain\`, \`node\`, \`asset-index\`, \`log\`, \`group\`,
\`views\`, \`history\`, \`ingest-store\` are the world; \`service\` runs the real loops in processes; \`workload\` is what people
and strangers do, \`front\`, \`pool-store\` and \`standing-zlib\` the gateway that they meet,
\`faults\`, \`world-faults\` and \`webhook-faults\` what goes wrong; \`webhook-world\` has senders, endpoint, progress and operator of the
webhooks; \`monitor\`, \`room-watch\`, \`pool-watch\`, \`webhook-watch\`, \`oracle\` and \`invariants\` look on.
`

/** The page of the simulation: its faults and its planted bugs are read from the code. */
export function simulationPage(): string {
  const seeds = plantedSeeds()
  const faults = Object.keys(OF_THE_WORLD).map((fault) => `- ${fault}`)
  const rows = PLANTED_BUGS.map(({ name, file }) => {
    const known = seeds[name]
    return `| ${name} | \`${file}\` | ${known?.seed ?? '–'} | ${known?.invariant ?? '–'} |`
  })
  const ofWebhooks = Object.keys(OF_WEBHOOKS).map((fault) => `- ${fault}`)
  const webhooks = `\n\nA clock steps by up to two minutes either way, one time of four by up to an hour.

In the seeds with webhooks as often, beside them:\n\n${ofWebhooks.join('\n')}\n`
  return [INTRODUCTION, faults.join('\n'), webhooks, CHECKS, rows.join('\n'), '\n', ADDING].join('')
}
