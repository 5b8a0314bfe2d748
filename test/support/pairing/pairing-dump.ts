import type { PairingStore } from '../../../src/ports/folds/pairing-store.ts'
import { toTxid } from '../ids.ts'

const BY_TEXT = ['objects', 'carriers', 'transactions', 'events', 'rows'] as const
const BY_HEIGHT = ['checkpoints', 'signatures', 'undo'] as const

/** All rows of all tables derived from the blocks, as text. */
export const pairingDump = (store: PairingStore): string[] =>
  store.read((tables) => [
    ...BY_TEXT.flatMap((name) =>
      [...tables[name].range({ from: toTxid(''), below: toTxid('~') })].map(textOf(name)),
    ),
    ...BY_HEIGHT.flatMap((name) =>
      [...tables[name].range({ from: 0, below: 2 ** 32 })].map(textOf(name)),
    ),
  ])

const textOf =
  (name: string) =>
  ({ key, value }: { key: string | number; value: unknown }): string =>
    `${name} ${key} ${JSON.stringify(value)}`
