import { assetIndexContract } from '../contracts/asset-index.ts'
import { fullNodeContract } from '../contracts/full-node.ts'
import { pushContract } from '../contracts/node-pushes.ts'
import { openDevnetDriver } from './devnet-driver.ts'

fullNodeContract('devnet', openDevnetDriver)
pushContract('devnet', openDevnetDriver)
assetIndexContract('devnet', openDevnetDriver)
