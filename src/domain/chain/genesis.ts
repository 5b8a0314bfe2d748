import type { Network } from '../../schemas/scalars.ts'

/** The hash of the first block, which identifies a chain (Bitcoin Core, kernel/chainparams.cpp). */
export const GENESIS_HASH: Record<Network, string> = {
  mainnet: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  signet: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
  regtest: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
}
