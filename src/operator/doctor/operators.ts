import type { Config } from '../../schemas/config/config.ts'
import { type Check, ok, warn } from './finding.ts'

/** Operator tokens with a last day. */
export const operatorChecks = ({ OPERATOR_TOKENS = [] }: Config, now = Date.now()): Check[] => [
  {
    name: 'operators',
    needs: ['OPERATOR_TOKENS'],
    cure: 'set OPERATOR_TOKENS',
    look: async () => {
      const today = new Date(now).toISOString().slice(0, 10)
      return OPERATOR_TOKENS.flatMap(({ name, lastDay }) => {
        if (lastDay === undefined) return []
        return lastDay < today
          ? warn(
              `the token of ${name} expired after ${lastDay}`,
              `create a new one (market operator token ${name}), or remove its entry from OPERATOR_TOKENS`,
            )
          : ok(`the token of ${name} is accepted to the end of ${lastDay} (UTC)`)
      })
    },
  },
]
