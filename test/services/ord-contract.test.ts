import { assetIndexContract } from '../contracts/asset-index.ts'
import { openRealChain } from '../support/real-chain.ts'

assetIndexContract('ord', openRealChain)
