import { fullNodeContract } from '../../contracts/full-node.ts'
import { openDevnetDriver } from './devnet-driver.ts'

fullNodeContract('devnet', openDevnetDriver)
