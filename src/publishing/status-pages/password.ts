export { hashPassword, verifyPassword } from '../../lib/passwords.ts'
