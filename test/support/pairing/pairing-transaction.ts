import { createHash } from 'node:crypto'
import { Transaction } from 'bitcoinjs-lib'
import { bodyOf, type Draw, type Name } from './pairing-body.ts'
import type { Coin, Coins } from './pairing-coins.ts'
import type { Action, TransactionPlan } from './pairing-plans.ts'
import {
  markerData,
  markerScript,
  NEAR_MARKERS,
  NOT_P2WSH,
  type PushForm,
  p2wsh,
} from './pairing-scripts.ts'

/** A transaction of a generated chain, with what the generator believes that it does. */
export interface Built {
  transaction: Transaction
  txid: string
  /** Outpoints, in order. */
  inputs: readonly string[]
  /** Those inputs that were coins of the chain, not from outside it. */
  needs: readonly string[]
  /** Null where its marker is missing or invalid. */
  does: Action | null
  names: readonly Name[]
  /** Spendable outputs, named or not. */
  spendable: readonly number[]
}

interface Output {
  script: Buffer
  value: bigint
}

const VALUES = [546n, 0n, 330n, 10_000n, 2_100_000_000_000_000n]
/** Few, so that an address has many carriers. */
const PROGRAMS = ['a', 'b', 'c', 'd'].map((name) => digest(`program ${name}`))

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Choices from a plan's picks, the same for the same plan. */
export function drawFrom(picks: readonly number[]): Draw {
  let drawn = 0
  return (bound) => {
    const round = Math.floor(drawn / picks.length)
    const pick = picks[drawn % picks.length] ?? 0
    drawn += 1
    return (pick + round * 7919) % bound
  }
}

/** Outpoints from outside the chain, each one once. */
export function strangers(): () => string {
  let made = 0
  return () => {
    made += 1
    return `${digest(`stranger ${made}`).toString('hex')}:${made % 3}`
  }
}

export function buildTransaction(
  plan: TransactionPlan,
  coins: Coins,
  magic: Uint8Array,
  stranger: () => string,
): Built {
  const draw = drawFrom(plan.picks)
  const { faults, form } = plan
  const { action, named } = choose(plan, coins, draw)
  const inputs = inputsOf(plan, action, named, coins, stranger, draw)
  const program = () => PROGRAMS[draw(PROGRAMS.length)]!
  const value = () => VALUES[draw(VALUES.length)]!

  // Outputs: those that are named, some that are not, the marker and what looks like one.
  const targetCount = action === 'create' ? 1 : named.length
  const targets = Array.from({ length: targetCount }, (_, n): Output => {
    const isWrong = faults.includes('not_p2wsh') && n === targetCount - 1
    const script = isWrong ? NOT_P2WSH[draw(NOT_P2WSH.length)]! : p2wsh
    return { script: script(program()), value: value() }
  })
  // Sometimes many, so that an index has two digits.
  const otherCount = draw(6) === 1 ? 12 : draw(3)
  const others = Array.from({ length: otherCount }, (): Output => {
    const script = draw(3) === 0 ? NOT_P2WSH[draw(NOT_P2WSH.length)]! : p2wsh
    return { script: script(program()), value: value() }
  })
  const hasMarker = action !== 'spend'
  const count = hasMarker ? (faults.includes('multiple_markers') ? 2 : 1) : 0
  const markers = Array.from(
    { length: count },
    (): Output => ({
      script: Buffer.alloc(0),
      value: draw(3) === 1 ? value() : 0n,
    }),
  )
  const near = plan.near.map((): Output => ({ script: Buffer.alloc(0), value: 0n }))
  const isInstead = plan.instead && near.length > 0
  const outputs = shuffled([...targets, ...others, ...(isInstead ? [] : markers), ...near], draw)
  if (outputs.length === 0) outputs.push({ script: p2wsh(program()), value: value() })

  // Only now are all positions known.
  const names = targets.map(
    (target, n): Name => ({
      input: action === 'create' ? null : inputs.indexOf(named[n]!),
      vout: outputs.indexOf(target),
    }),
  )
  const { opcode, body } =
    action === 'spend'
      ? { opcode: 1, body: Buffer.from([0, ...digest('near'), 0]) }
      : bodyOf(action, names, faults, draw)
  for (const [n, marker] of markers.entries())
    marker.script =
      n > 0 && draw(2) === 1
        ? markerScript(form, magic, 0xee, Buffer.alloc(0))
        : markerScript(form, magic, opcode, body)
  for (const [n, output] of near.entries())
    output.script = NEAR_MARKERS[plan.near[n]!](markerData(magic, opcode, body), form)

  const transaction = assembled(inputs, outputs, plan.hasWitness)
  return {
    transaction,
    txid: transaction.getId(),
    inputs,
    needs: inputs.filter((outpoint) => coins.get(outpoint) !== undefined),
    does: action === 'spend' || isInstead || faults.length > 0 ? null : action,
    names,
    spendable: outputs.flatMap(({ script }, vout) => (script[0] === 0x6a ? [] : [vout])),
  }
}

/** The action that the coins allow, and the outpoints that it names, in order. */
function choose(
  { action: planned, faults, count, mate }: TransactionPlan,
  coins: Coins,
  draw: Draw,
): { action: Exclude<Action, 'replay'>; named: string[] } {
  // Two reasons are of one action each, and with one name alone nothing is named twice.
  const action = faults.includes('already_paired')
    ? 'pair'
    : faults.includes('not_paired')
      ? 'unpair'
      : faults.some((fault) => fault.startsWith('duplicate')) && planned === 'create'
        ? 'move'
        : planned
  const carriers = coins.carriers()
  const paired = carriers.filter(({ pair }) => pair !== null)
  const single = carriers.filter(({ pair }) => pair === null)
  const outpoints = (chosen: readonly Coin[]) => chosen.map(({ outpoint }) => outpoint)

  if (action === 'unpair') {
    const from = faults.includes('not_paired') ? single : paired
    if (from.length > 0) return { action, named: outpoints(taken(from, 1, draw)) }
  }
  if (action === 'unpair' || action === 'pair') {
    const halves = faults.includes('already_paired')
      ? [...taken(paired, 1 + draw(2), draw), ...taken(single, 1, draw)].slice(0, 2)
      : taken(single, 2, draw)
    if (halves.length === 2) return { action: 'pair', named: outpoints(shuffled(halves, draw)) }
  }
  if (action === 'move' && carriers.length > 0) {
    const wanted = faults.some((fault) => fault.startsWith('duplicate')) ? count + 1 : count
    const from = paired.length > 0 && draw(3) > 0 ? paired : carriers
    const moved = taken(from, wanted, draw)
    const mates = mate === 'named' ? moved.map((coin) => coins.mateOf(coin)) : []
    const named = new Set(outpoints([...moved, ...mates.filter((coin) => coin !== undefined)]))
    return { action, named: [...named].slice(0, 16) }
  }
  if (action === 'spend' && carriers.length > 0) return { action, named: [] }
  return { action: 'create', named: [] }
}

/** The outpoints that are spent; replaces in `named` what must not be a carrier. */
function inputsOf(
  { faults, mate, released }: TransactionPlan,
  action: Action,
  named: string[],
  coins: Coins,
  stranger: () => string,
  draw: Draw,
): string[] {
  const first = coins.get(named[0] ?? '')
  const half = first && coins.mateOf(first)
  const isReleased = half && !named.includes(half.outpoint) && mate.startsWith('released')
  const plain = () => taken(coins.plain(), 1, draw)[0]?.outpoint ?? stranger()
  if (faults.includes('input_not_carrier') && named.length > 0) named[named.length - 1] = plain()

  const chosen = new Set([...named, ...(isReleased ? [half.outpoint] : [])])
  const left = coins.carriers().filter(({ outpoint }) => !chosen.has(outpoint))
  const more = action === 'spend' && chosen.size === 0 ? released + 1 : released
  for (const { outpoint } of taken(left, more, draw)) chosen.add(outpoint)
  if (chosen.size === 0 || draw(4) === 0) chosen.add(draw(2) === 0 ? stranger() : plain())

  const inputs = shuffled([...chosen], draw)
  if (first && isReleased) {
    const own = inputs.indexOf(first.outpoint)
    const its = inputs.indexOf(half.outpoint)
    const isAsPlanned = mate === 'released before' ? its < own : own < its
    if (own >= 0 && !isAsPlanned) {
      inputs[own] = half.outpoint
      inputs[its] = first.outpoint
    }
  }
  return inputs
}

function assembled(
  inputs: readonly string[],
  outputs: readonly Output[],
  hasWitness: boolean,
): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  for (const [n, outpoint] of inputs.entries()) {
    const [txid = '', vout] = outpoint.split(':')
    const script = hasWitness ? Buffer.alloc(0) : Buffer.from([0x51, n])
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), Number(vout), 0xfffffffd, script)
    // With several inputs some have none.
    if (hasWitness && n !== 1) transaction.ins[n]!.witness = [Buffer.alloc(n), Buffer.from([0x51])]
  }
  for (const { script, value } of outputs) transaction.addOutput(script, value)
  return transaction
}

/** Some of them, often the newest; each one once. */
function taken<T>(from: readonly T[], count: number, draw: Draw): T[] {
  const left = [...from]
  const chosen: T[] = []
  while (chosen.length < count && left.length > 0) {
    const at = draw(2) === 0 ? left.length - 1 : draw(left.length)
    chosen.push(...left.splice(at, 1))
  }
  return chosen
}

function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  const left = [...items]
  const order: T[] = []
  while (left.length > 0) order.push(...left.splice(draw(left.length), 1))
  return order
}

/** The coins after it, as far as the generator can tell. */
export function applyTo(coins: Coins, built: Built): void {
  const { txid, inputs, does, names, spendable } = built
  const added: Coin[] = []
  for (const [input, outpoint] of inputs.entries()) {
    const coin = coins.get(outpoint)
    if (!coin?.isCarrier) continue
    const name = does === null ? undefined : names.find((one) => one.input === input)
    if (!name || does === 'unpair') coins.dissolve(coin.pair)
    if (name) {
      const pair = does === 'pair' ? txid : coin.pair
      const carrier = { outpoint: `${txid}:${name.vout}`, isCarrier: true, pair }
      coins.add(carrier)
      added.push(carrier)
    }
  }
  for (const outpoint of inputs) coins.spend(outpoint)
  for (const vout of spendable) {
    const outpoint = `${txid}:${vout}`
    const isCreated = does === 'create' && names[0]?.vout === vout
    if (added.every((coin) => coin.outpoint !== outpoint))
      coins.add({ outpoint, isCarrier: isCreated, pair: null })
  }
}

export const pushFormOf = (script: Uint8Array): PushForm =>
  script[1] === 0x4c ? 'pushdata1' : script[1] === 0x4d ? 'pushdata2' : 'direct'
