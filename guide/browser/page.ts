import { offerTheme } from './theme.ts'

offerTheme()
