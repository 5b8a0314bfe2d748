import { firstValueFrom } from 'rxjs'
import type { HealthReport } from '../../schemas/api/health.ts'
import { Source } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'

/**
 * Gateway spec 2.2, HealthReport. `ok` while the market is on and a Bitcoin listing could be made
 * now.
 */
export async function readHealth({
  readiness,
  settings,
}: Pick<Gateway, 'readiness' | 'settings'>): Promise<HealthReport> {
  const listingReadiness = await firstValueFrom(readiness)
  const { enabled, nodeConfigured, indexConfigured } = settings
  const active = listingReadiness.ready ? 'active' : 'degraded'
  const status = enabled ? active : 'disabled'
  return {
    ok: status === 'active',
    service: 'market',
    enabled,
    defaultEnabled: true,
    network: settings.network,
    status,
    featureFlag: 'MARKET_ENABLED',
    coreConfigured: nodeConfigured,
    assetIndexConfigured: indexConfigured,
    configurationComplete: nodeConfigured && indexConfigured,
    signsOrBroadcasts: false,
    spendsFunds: false,
    supportedSources: [...Source.options],
    storageWritable: listingReadiness.storageWritable,
    readyForBitcoinListings: enabled && listingReadiness.ready,
    maxVerificationAgeSeconds: settings.maxVerificationAgeSeconds,
    listingReadiness,
  }
}
