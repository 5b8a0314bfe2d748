import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
/** Everything that nobody holds is gone when it returns. */
export const collectGarbage: () => void = runInNewContext('gc')
