import { readFileSync } from 'node:fs'
import { writeHeapSnapshot } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

// Loaded before a service (NODE_OPTIONS=--import=…): its time of day is this machine's plus the milliseconds
// that a file names, and SIGUSR2 writes what its memory holds into another file.

const { CLOCK_SHIFT_FILE = '', HEAP_FILE = '' } = process.env
const READ_EVERY_MS = 200
const RealDate = Date
let shiftMs = 0
let readAt = Number.NEGATIVE_INFINITY

function now() {
  if (performance.now() - readAt > READ_EVERY_MS) {
    readAt = performance.now()
    shiftMs = Number(readFileSync(CLOCK_SHIFT_FILE, 'utf8'))
  }
  return RealDate.now() + shiftMs
}

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args))
  }

  static now() {
    return now()
  }
}

if (isMainThread) process.on('SIGUSR2', () => writeHeapSnapshot(HEAP_FILE))
