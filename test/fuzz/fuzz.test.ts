import { fuzz } from './suite.ts'

fuzz({ requests: 80, garbage: 40 })
