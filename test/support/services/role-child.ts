import { readConfig } from '../../../src/cli/environment.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { runSingleRole } from '../../../src/roles/single-role.ts'

// One role that kills itself at the n-th passing of a point: started by stack.ts.
const { point, passing } = JSON.parse(process.argv[2] ?? '') as {
  point: CrashPoint
  passing: number
}
const config = readConfig()
const { ROLE } = config
if (ROLE === 'all') throw new Error('a role of many is meant')
let passings = 0
await runSingleRole(
  { ...config, ROLE },
  {
    onPoint: (passed) => {
      if (passed !== point) return
      passings += 1
      if (passings === passing) process.kill(process.pid, 'SIGKILL')
    },
  },
)
