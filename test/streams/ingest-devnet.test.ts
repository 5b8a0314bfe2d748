import { ingestContract } from '../contracts/ingest.ts'
import { openDevnetDriver } from '../devnet/devnet-driver.ts'

ingestContract('devnet', openDevnetDriver)
