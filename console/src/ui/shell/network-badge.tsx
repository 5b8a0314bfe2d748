import { useHealth } from '../../api/health.ts'

const NAMES: Record<string, string> = { mainnet: 'Mainnet', signet: 'Signet', regtest: 'Regtest' }

/** The chain that all of this is about: coins of any but mainnet are worth nothing. */
export function NetworkBadge() {
  const { data: health } = useHealth()
  return (
    <span class="network" data-network={health?.network}>
      {health && (NAMES[health.network] ?? health.network)}
    </span>
  )
}
