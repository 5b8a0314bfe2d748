import { orderMachine } from '../../src/actors/order/order-machine.ts'
import { CLAIM_NOTES } from '../../src/domain/reasons/claim-notes.ts'
import { INSPECTION_REASONS } from '../../src/domain/reasons/inspection-reasons.ts'
import { NOTED_REASONS } from '../../src/domain/reasons/noted-reasons.ts'
import { REASONS, REMARKS, SHOWN_REASONS } from '../../src/domain/reasons/reasons.ts'

/** The question of each guard of the machine; a missing one stops the generation. */
const GUARDS: Record<string, string> = {
  isOver: 'the inspection refused the wrapper, or the order is closed',
  isAsked: 'a question to the authorities is open',
  isDecided: 'the order was LIVE once, or this wrapper was judged, or the inspection refused it',
  hasTooManyClaims: '8 wrappers wait to be judged, and this is another',
  isDiscarded: 'news came after the question was asked: it is asked again',
  isAhead: 'a spend that only a block can name, which is not followed yet: the order waits for it',
  awaitsChain:
    'the last answer was ahead of the chain that is followed: the question is asked again',
  isAway: 'an authority is unavailable, and the order rests on better evidence: nothing changes',
  isOldSpend: 'this spend is known, or it is of the mempool and a block already spends',
  isUnnamedSpend: 'no answer named what spends the output, and the order is open',
  isKnownSpend: 'it is exactly the spend, in exactly the block, that the order has recorded',
  isExactPayout: "the spender carries the order's exact payout",
  isKnownBlock: 'the output is already in this block',
  isProved: 'its owner signed it, as the node once confirmed',
  isOtherBlock: 'it is not the block that the output is in',
}

interface Edge {
  event: string
  guard: string | null
  /** Null: the order stays where it is. */
  to: string | null
}

type Definitions = (typeof orderMachine.root)['transitions']

/** The transitions of one node of the chart, first match first. */
function edgesOf(transitions: Definitions): Edge[] {
  return [...transitions].flatMap(([event, definitions]) =>
    definitions.map(({ guard, target }) => ({
      event,
      guard: guardName(guard),
      to: target?.[0]?.key ?? null,
    })),
  )
}

function guardName(guard: unknown): string | null {
  if (guard === undefined) return null
  if (typeof guard === 'string') return guard
  const { type, params } = guard as { type: string; params?: { state?: string } }
  if (params?.state === undefined) return type
  return `${type === 'recalls' ? 'it stood in' : 'the verdict is'} ${params.state}`
}

const ANY = edgesOf(orderMachine.root.transitions)
const OWN = Object.values(orderMachine.states).map(({ key, transitions }) => ({
  state: key,
  edges: edgesOf(transitions),
}))

/** States that answer an event by themselves in every case, so that it is never any state's. */
const overriding = (event: string): string[] =>
  OWN.filter(({ edges }) => edges.some((edge) => edge.event === event && edge.guard === null)).map(
    ({ state }) => state,
  )

// ---- the diagram -------------------------------------------------------------------------------

const isVerdict = ({ guard }: Edge): boolean => guard?.startsWith('the verdict is') ?? false

function diagram(): string[] {
  const arrows = new Map<string, string[]>()
  const draw = (from: string, to: string, label: string) => {
    const key = `${from} --> ${to}`
    arrows.set(key, [...(arrows.get(key) ?? []), label])
  }
  draw('any', 'verdict', 'EVIDENCE')
  for (const edge of ANY) {
    if (edge.to === null) continue
    if (isVerdict(edge)) draw('verdict', edge.to, edge.to)
    else draw('any', edge.to, labelOf(edge) + exceptions(edge.event))
  }
  for (const { state, edges } of OWN) {
    for (const edge of edges) {
      if (edge.to && edge.to !== state && edge.event !== 'RECALL')
        draw(state, edge.to, labelOf(edge))
    }
  }
  return [
    'stateDiagram-v2',
    '  state "any state but WITHDRAWN" as any',
    '  state verdict <<choice>>',
    '  [*] --> PENDING_NODE',
    ...[...arrows].map(([arrow, labels]) => `  ${arrow}: ${labels.join(', ')}`),
    '  WITHDRAWN --> [*]',
  ]
}

const labelOf = ({ event, guard }: Edge): string => (guard === null ? event : `${event} [${guard}]`)

function exceptions(event: string): string {
  const others = overriding(event).filter((state) => state !== 'WITHDRAWN')
  return others.length === 0 ? '' : ` (not from ${others.join(' or ')})`
}

// ---- the tables --------------------------------------------------------------------------------

const table = (head: string[], rows: string[][]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
]

function transitionRow(state: string, { event, guard, to }: Edge): string[] {
  return [state, code(event), guard ?? '', to ?? 'stays', reasonsOf(event, to)]
}

function reasonsOf(event: string, to: string | null): string {
  if (to === null) return ''
  const codes = Object.entries(REASONS)
    .filter(([, { states, events }]) => includes(states, to) && includes(events, event))
    .map(([name]) => code(name))
  return codes.join(', ')
}

const includes = (values: readonly string[], value: string): boolean => values.includes(value)
const code = (text: string): string => `\`${text}\``

function guardRows(): string[][] {
  const used = [...ANY, ...OWN.flatMap(({ edges }) => edges)].flatMap(({ guard }) => guard ?? [])
  return [...new Set(used)]
    .filter((guard) => !guard.startsWith('the verdict is') && !guard.startsWith('it stood in'))
    .map((guard) => {
      const says = GUARDS[guard]
      if (says === undefined) throw new Error(`the guard ${guard} is not documented`)
      return [guard, says]
    })
}

const reasonRows = (): string[][] =>
  Object.entries(REASONS).map(([name, meaning]) => [
    code('detail' in meaning ? `${name} <…>` : name),
    meaning.states.join(', '),
    'detail' in meaning ? `${meaning.says}; then ${meaning.detail}` : meaning.says,
  ])

/** `docs/order-states.md`: the statechart and every reason, from the code that runs. */
export function orderStates(): string {
  const lines = [
    '# States of an order',
    '',
    'Generated from `src/actors/order/order-machine.ts`, `src/domain/reasons/reasons.ts` and',
    '`src/domain/reasons/inspection-reasons.ts` by `npm run docs`; a test compares it.',
    '',
    '```mermaid',
    ...diagram(),
    '```',
    '',
    'A verdict of the authorities leads to any state but WITHDRAWN: it is a pure function of the',
    'artifact, its metadata and what node and index answered. News of the chain moves an order at once',
    'where it alone decides, and asks for a verdict where it does not. Nothing leaves WITHDRAWN. `RECALL`',
    'tells where an order stood before the log had it, and is not drawn.',
    '',
    '## Transitions',
    '',
    'The first row that matches an event decides; rows of the state itself come before those of any',
    'state. Where an order stays, it may note something, or ask the authorities.',
    '',
    ...table(
      ['state', 'event', 'guard', 'next state', 'reason'],
      [
        ...OWN.flatMap(({ state, edges }) => edges.map((edge) => transitionRow(state, edge))),
        ...ANY.map((edge) => transitionRow('any', edge)),
      ],
    ),
    '',
    ...table(['guard', 'holds when'], guardRows()),
    '',
    '## Reasons',
    '',
    'The reason of a transition or of a verdict is one of these, or the first reason of the inspection',
    'that refused the wrapper. It is also in `validation.reasons`, but for `verified`.',
    '',
    ...table(['reason', 'state', 'meaning'], reasonRows()),
    '',
    'What a LIVE order may lack is remarked in its `validation.reasons`:',
    '',
    ...table(
      ['remark', 'meaning'],
      Object.entries(REMARKS).map(([name, says]) => [code(name), says]),
    ),
    '',
    'When an order is shown, these may be added:',
    '',
    ...table(
      ['reason', 'meaning'],
      Object.entries(SHOWN_REASONS).map(([name, says]) => [code(name), says]),
    ),
    '',
    'So are notes on what its sources claim, which decides nothing:',
    '',
    ...table(
      ['note', 'meaning'],
      Object.entries(CLAIM_NOTES).map(([name, says]) => [code(name), says]),
    ),
    '',
    'A change that is no transition and no verdict is noted in the lifecycle log, not in the activity:',
    '',
    ...table(
      ['reason', 'event', 'meaning'],
      Object.entries(NOTED_REASONS).map(([event, { reason, says }]) => [
        code(reason),
        code(event),
        says,
      ]),
    ),
    '',
    'Inspection, which asks no authority, refuses a wrapper (class UNSUPPORTED) or remarks on it:',
    '',
    ...table(
      ['reason', 'meaning'],
      Object.entries(INSPECTION_REASONS).map(([name, says]) => [code(name), says]),
    ),
    '',
  ]
  return lines.join('\n')
}
