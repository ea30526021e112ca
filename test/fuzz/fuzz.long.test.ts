import { rounds } from '../support/rounds.ts'
import { fuzz } from './suite.ts'

fuzz({ requests: 500 * rounds, garbage: 150 * rounds })
