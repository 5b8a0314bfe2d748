import { fullNodeContract } from '../contracts/full-node.ts'
import { openRealChain } from '../support/real-chain.ts'

fullNodeContract('bitcoind', openRealChain)
