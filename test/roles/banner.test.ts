import { expect, test } from 'vitest'
import { banner } from '../../src/roles/banner.ts'
import { Config } from '../../src/schemas/config/config.ts'

test.each(['market', 'npm run market --'])(
  'commands to try begin as where the service was started: %s',
  (command) => {
    const text = banner({
      config: Config.parse({}),
      isPretty: true,
      command,
      address: 'http://127.0.0.1:8080',
      metricsAddress: 'http://127.0.0.1:9464',
      isDevnet: true,
      historyFault: null,
      pairing: 'both',
      orderId: null,
    })
    expect(text).toContain(`\n  ${command} devnet mine |`)
    expect(text.match(/\S.* devnet (?:mine|objects)/g)).toEqual([
      `${command} devnet mine`,
      `${command} devnet objects`,
    ])
  },
)
