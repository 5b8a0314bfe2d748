import { assetIndexContract } from '../contracts/asset-index.ts'
import { openRealChain } from '../support/chain/real-chain.ts'

assetIndexContract('ord', openRealChain)
