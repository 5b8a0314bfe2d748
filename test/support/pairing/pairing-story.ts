import type { Transaction } from 'bitcoinjs-lib'
import { openPairingIndex, type PairingIndex } from '../../../src/pairing/pairing-index.ts'
import type { InvalidReason, PairingObject } from '../../../src/schemas/api/pairing.ts'
import { memoryPairingStore } from '../folds/memory-pairing-store.ts'
import { toTxid } from '../ids.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  MAGIC,
  p2wsh,
  pair,
  transactionOf,
} from './pairing-blocks.ts'

export const SETTINGS = {
  deployment: 'test',
  network: 'regtest',
  startHeight: 0,
  magic: MAGIC,
} as const

type Name = 'a' | 'b' | 'c' | 'd'

/** An index with the objects a, b, c and d, and short words for what happens to them. */
export interface PairingStory {
  index: PairingIndex
  chain: LittleChain
  keys: Record<Name, string>
  /** Where each was made, or became half of a pair by `pairUp`. */
  carriers: Record<Name, string>
  /** Connects a block of these. */
  mine(...transactions: Transaction[]): Promise<void>
  /** A transaction that spends the carriers of names; `-` is an input that carries nothing. */
  spend(names: string, ...outputs: Buffer[]): Transaction
  /** Makes a pair of two objects; its id. */
  pairUp(names: string): Promise<string>
  /** The events of a transaction: kind, name of the object, destination, and pair. */
  storyOf(tx: Transaction, pairs?: Record<string, string>): string[]
  objectNamed(name: Name): PairingObject | null
  /** Opcode, validity and reason; null when the transaction is not recorded. */
  rulingOf(tx: Transaction): [number | null, boolean, InvalidReason | null] | null
}

const NAMES = ['a', 'b', 'c', 'd'] as const

export async function pairingStory(): Promise<PairingStory> {
  const chain = new LittleChain()
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  const mine = (...transactions: Transaction[]) => index.connect([chain.mine(...transactions)])
  const made = NAMES.map((name, seed) =>
    transactionOf([elsewhere(seed)], [p2wsh(seed), create(0, hashBytes(seed), name)]),
  )
  await mine(...made)
  const carriers = byName(made.map((tx) => at(tx)))
  const keys = byName(
    made.map((tx) => index.read((view) => view.events(toTxid(tx.getId()))[0]?.objectKey ?? '')),
  )
  const nameOf = (objectKey: string): string =>
    NAMES.find((name) => keys[name] === objectKey) ?? objectKey
  const objectNamed = (name: Name) => index.read((view) => view.object(keys[name]))
  const spend = (names: string, ...outputs: Buffer[]): Transaction =>
    transactionOf(
      [...names].map((name) => (isName(name) ? carriers[name] : elsewhere(9))),
      outputs,
    )
  return {
    index,
    chain,
    keys,
    carriers,
    mine,
    spend,
    objectNamed,
    pairUp: async (names) => {
      const [one, other] = [...names].filter(isName)
      if (!one || !other) throw new Error(`${names} must be two names`)
      const tx = spend(names, p2wsh(50), p2wsh(51), pair(0, 1, 0, 1))
      await mine(tx)
      carriers[one] = at(tx, 0)
      carriers[other] = at(tx, 1)
      return objectNamed(one)?.pairId ?? ''
    },
    storyOf: (tx, pairs = {}) =>
      index
        .read((view) => view.events(toTxid(tx.getId())))
        .map(({ kind, objectKey, to, pairId }) =>
          [
            kind,
            nameOf(objectKey),
            ...(to ? [`to ${to.slice(65)}`] : []),
            ...(pairId ? [`of ${pairs[pairId] ?? pairId}`] : []),
          ].join(' '),
        ),
    rulingOf: (tx) => {
      const found = index.read((view) => view.transaction(toTxid(tx.getId())))
      return found && [found.opcode, found.valid, found.reason]
    },
  }
}

const isName = (text: string): text is Name => NAMES.some((name) => name === text)

const byName = ([a = '', b = '', c = '', d = '']: string[]): Record<Name, string> => ({
  a,
  b,
  c,
  d,
})
