import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { HistorySizes } from '../../ports/log/sizes.ts'
import type { History } from '../../ports/views/history.ts'
import type { Statistics } from '../../ports/views/statistics.ts'
import type { Door } from './door.ts'

/** The log of the service behind a door. Its inbox is consumed there. */
export const doorLog = (door: Door): EventLog => ({
  id: door.service.id,
  partitions: door.service.partitions,
  append: (records) =>
    door.ask(
      'append',
      records.map(({ text: _, ...record }) => record),
    ),
  read: (topic, partition, from, signal) => door.follow('read', signal, topic, partition, from),
  stored: (topic, partition, from, until) =>
    door.follow('stored', null, topic, partition, from, until),
  end: (topic, partition) => door.ask('end', topic, partition),
  consumed: (partition) => door.ask('consumed', partition),
  processInbox: () => Promise.reject(new Error('the service consumes the inbox')),
})

/** What commands ask of a history. */
export interface AskedHistory
  extends Pick<History, 'record' | 'activity' | 'position' | 'summary' | 'probe'>,
    HistorySizes {
  statistics(): Statistics
}

/** The history of the service behind a door. */
export const doorHistory = (door: Door): AskedHistory => ({
  record: (rows) => door.ask('record', rows),
  activity: (query) => door.ask('activity', query),
  position: (partition) => door.ask('recorded', partition),
  summary: async function* () {
    for await (const orders of door.follow('summary', null)) yield* orders
  },
  probe: () => door.ask('probe'),
  sizes: () => door.ask('historySizes'),
  statistics: () => doorStatistics(door),
})

const doorStatistics = (door: Door): Statistics => ({
  rows: (question, page) => door.ask('rows', question, page),
  file: async (question, format, limit) => {
    const { base64, isWhole } = await door.ask('file', question, format, limit)
    return { bytes: Buffer.from(base64, 'base64'), isWhole }
  },
  origin: (known) => door.ask('origin', known),
  days: async (view) => new Map(await door.ask('days', view)),
  exportDay: async (view, day, path) => {
    const bytes = async function* () {
      for await (const pieces of door.follow('day', null, view, day))
        for (const piece of pieces) yield Buffer.from(piece, 'base64')
    }
    await pipeline(Readable.from(bytes()), createWriteStream(path, { flags: 'wx' }))
  },
})
