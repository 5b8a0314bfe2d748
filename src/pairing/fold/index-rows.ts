import type { PlaceText, StoredCarrier, StoredObject } from '../../ports/folds/pairing-store.ts'
import type { EventPlace } from '../../ports/folds/pairing-views.ts'
import type { PairingEvent, PairingTransaction } from '../../schemas/api/pairing.ts'

/** A row of the table of sort orders and look-ups: the look-up key, and the key of a record. */
export type IndexRow = [key: string, value: string]

/** The range of keys with this prefix. `~` sorts after every character used in keys. */
export const beginningWith = (prefix: string): { from: string; below: string } => ({
  from: prefix,
  below: `${prefix}~`,
})

export const OBJECTS_BY_PLACE = 'objects:'
export const CARRIERS_BY_PLACE = 'carriers:'
export const UNSPENT = 'unspent:'
export const byAddress = (address: string): string => `address:${address}:`
/** The value of a row of the longest grams is the label in lowercase; '' in rows of 0.9. */
export const byGram = (gram: string): string => `gram:${gram}:`

export const byObject = (objectKey: string): string => `event:${objectKey}:`

/** Sorts as the three numbers do. */
export const placeText = (height: number, transactionIndex: number, vout: number): PlaceText =>
  [height, transactionIndex, vout].map(eightDigits).join('')

/** The rows of an object, which never change during its life. */
export function objectRows({ place, object }: StoredObject): IndexRow[] {
  const { objectKey } = object
  const label = object.label.toLowerCase()
  const grams = gramsOf(label).map(
    (gram): IndexRow => [byGram(gram) + objectKey, gram.length === GRAM ? label : ''],
  )
  return [[OBJECTS_BY_PLACE + place, objectKey], ...grams]
}

/** The rows of a carrier, which never change during its life. */
export function carrierRows({ place, carrier }: StoredCarrier): IndexRow[] {
  const outpoint = `${carrier.txid}:${carrier.vout}`
  return [
    [CARRIERS_BY_PLACE + place, outpoint],
    [byAddress(carrier.address) + place, outpoint],
  ]
}

/** The row of an event below its object; the value is its transaction. */
export const eventRow = (
  { height, transactionIndex }: Pick<PairingTransaction, 'height' | 'transactionIndex'>,
  { objectKey, eventIndex, txid }: PairingEvent,
): IndexRow => [byObject(objectKey) + eventPlace(height, transactionIndex, eventIndex), txid]

export const eventPlace = (
  height: number,
  transactionIndex: number,
  eventIndex: number,
): EventPlace => placeText(height, transactionIndex, 0) + eightDigits(eventIndex)

/** The height and the index of the event in a row of `byObject`. */
export function readEventRow(key: string): { height: number; eventIndex: number } {
  const place = key.slice(key.lastIndexOf(':') + 1)
  return {
    height: Number.parseInt(place.slice(0, 8), 16),
    eventIndex: Number.parseInt(place.slice(-8), 16),
  }
}

/** The longest pieces labels are indexed by. */
export const GRAM = 3

/** The distinct substrings of one to three characters. */
function gramsOf(label: string): string[] {
  const grams = new Set<string>()
  for (let start = 0; start < label.length; start += 1) {
    for (let length = 1; length <= GRAM && start + length <= label.length; length += 1) {
      grams.add(label.slice(start, start + length))
    }
  }
  return [...grams]
}

const eightDigits = (value: number): string => value.toString(16).padStart(8, '0')
