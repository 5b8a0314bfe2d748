import { afterAll, afterEach, beforeAll } from 'vitest'
import { ConsoleSite } from '../support/console/console-site.ts'
import { bookActs } from './console/book.ts'
import { findingActs } from './console/finding.ts'
import { handingOutActs } from './console/handing-out.ts'
import { indexActs } from './console/indexes.ts'
import { operatorActs } from './console/operator.ts'
import { sellerActs } from './console/seller.ts'
import { settlingActs } from './console/settling.ts'
import { statisticActs } from './console/statistics.ts'
import { strangerActs } from './console/strangers.ts'
import { walletActs } from './console/wallet.ts'

// What people do with the console in Chromium, against a service on the devnet, act by act: all of them share both.

const site = new ConsoleSite()
beforeAll(() => site.open())
afterEach(() => site.closePages())
afterAll(() => site.end())

bookActs(site)
settlingActs(site)
strangerActs(site)
statisticActs(site)
indexActs(site)
walletActs(site)
findingActs(site)
handingOutActs(site)
sellerActs(site)
operatorActs(site)
