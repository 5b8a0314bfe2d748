import { openDevnetDriver } from '../adapters/devnet/devnet-driver.ts'
import { ingestContract } from '../contracts/ingest.ts'

ingestContract('devnet', openDevnetDriver)
