import { cursorCodec } from '../../../src/gateway/cursor.ts'

/** Cursors under a key of the tests. */
export const TEST_CURSORS = cursorCodec([new Uint8Array(32).fill(7)])
