import { fullNodeContract } from '../contracts/full-node.ts'
import { openRealChain } from '../support/chain/real-chain.ts'

fullNodeContract('bitcoind', openRealChain)
