export { hashPassword, isPassword } from '../../lib/passwords.ts'
