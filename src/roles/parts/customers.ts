import { randomBytes } from 'node:crypto'
import { Counter } from 'prom-client'
import { CustomerKeys, customerOfAccount } from '../../gateway/customers/customer-keys.ts'
import type { KeyOffice } from '../../gateway/customers/manage-keys.ts'
import type { CustomerAllowance } from '../../gateway/stored-budget.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { keyTiersOf } from '../../schemas/config/customer-variables.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'

/** Who sends keys, how operators make them, and how much each customer may have stored. */
export interface OpenCustomers {
  keys: CustomerKeys
  office: KeyOffice
  allowance: CustomerAllowance
}

/** Follows the keys until the closer ends. */
export function openCustomers(context: RuntimeContext, log: EventLog): OpenCustomers {
  const { config, clock, metrics } = context
  const tiers = keyTiersOf(config)
  const keys = new CustomerKeys(tiers, clock)
  supervise('keys', context, (signal) => keys.follow(log, signal))
  const stored = new Counter({
    name: 'market_customer_stored_bytes_total',
    help: 'Bytes of proved orders stored for customers, by tier.',
    labelNames: ['tier'],
    registers: [metrics.registry],
  })
  const tierOf = (account: string) => {
    const customer = customerOfAccount(account)
    return customer === null ? null : keys.tierOf(customer)
  }
  return {
    keys,
    office: { log, clock, tiers, randomBytes, refresh: () => keys.refresh(log) },
    allowance: {
      of: (account) => {
        const tier = tierOf(account)
        return tier && tier.storedKib * 1_024
      },
      inAll: config.RATE_LIMIT_KEYS_PROVED_KIB * 1_024,
      onStored: (account, bytes) => stored.inc({ tier: tierOf(account)?.name ?? '' }, bytes),
    },
  }
}
