import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from '../../../src/accounts/users/common-passwords.ts'

const common = [
  'Password123!',
  'p@ssw0rd2024',
  'passwordpassword',
  '1234567890',
  '0987654321',
  'qwertyuiop',
  'qwerty12345',
  'Q1w2e3r4t5',
]
const repeated = [
  'aaaaaaaaaa',
  'abcabcabcabc',
  '1111111111111111',
  '12121212121212',
  'letmein!!!!',
  'iloveyou2026',
  'Administrator1',
  '!!Summer2026!!',
]

test('words with digits, rows of the keyboard and repetitions are common', () => {
  assert.deepEqual(
    [...common, ...repeated].filter((password) => !isCommonPassword(password)),
    [],
  )
})

test('other passwords are not, however they look', () => {
  const others = [
    'correct horse battery',
    'correct horse',
    '8205739164',
    'mein Passwort ist lang',
    'x7#kPq-19zLw',
    'passwordless login',
    '日本語のパスワード',
  ]
  assert.deepEqual(others.filter(isCommonPassword), [])
})
