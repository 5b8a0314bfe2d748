import { afterAll, afterEach, beforeAll } from 'vitest'
import { ConsoleSite } from '../support/console/console-site.ts'
import { layoutActs } from './console/layout.ts'
import { phoneActs } from './console/phone.ts'

// What each page of the console looks like in Chromium: of console.test.ts, what takes half of its time.

const site = new ConsoleSite()
beforeAll(() => site.open())
afterEach(() => site.closePages())
afterAll(() => site.end())

layoutActs(site)
phoneActs(site)
