import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
/** Unreachable objects are collected when it returns. */
export const collectGarbage: () => void = runInNewContext('gc')
