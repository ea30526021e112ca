/**
 * Passwords that are tried first. Written by hand from what the published lists of leaked passwords have in common: words with
 * digits at the end, rows of the keyboard, and repetitions. Only what has the minimum length matters, so the list is short.
 */
const words = new Set(
  `password passwort passwords passw0rd motdepasse contrasena contraseña senha parola haslo wachtwoord mypassword newpassword
  admin administrator administrador root superuser sysadmin user username guest default master webmaster operator manager test testing
  tester demo example sample secret topsecret private login logon signin welcome welcomeback hello helloworld hallo bonjour hola changeme
  changeit changethis pleasechange letmein letmeinnow opensesame openup trustno iloveyou iloveu loveyou lovely loveme sunshine princess princesa
  prinzessin football baseball basketball softball volleyball hockey soccer liverpool arsenal chelsea barcelona realmadrid juventus bayern
  superman batman spiderman starwars pokemon naruto minecraft fortnite dragon dragonball monkey shadow michael jennifer jessica michelle
  charlie jordan hunter ranger buster tigger ginger pepper cookie chocolate butterfly mustang corvette ferrari porsche mercedes harley
  yankees cowboys eagles steelers computer internet server database network office company business google facebook microsoft windows
  linux ubuntu samsung apple iphone android summer winter spring autumn january february march april june july august september october
  november december monday friday sunday freedom whatever nothing something blahblah forever angel angels blessed jesus jesuschrist
  christ heaven mother father family brother sister daniel thomas robert anthony matthew andrew joshua ashley nicole amanda
  qwerty qwertz azerty qwert asdf asdfgh zxcv zxcvbn qwertyuiop qwertzuiop azertyuiop asdfghjkl asdfghjkl; zxcvbnm asdfasdf qweqwe qweasd
  qweasdzxc qazwsx qazwsxedc wsxedc abcdef abcdefg abcdefgh abcdefghij abc abcd abcabc aaa pharos monitor monitoring uptime`.split(
    /\s+/,
  ),
)

const rows = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1qaz2wsx3edc4rfv5tgb',
]
const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** "Password123!", "p@ssw0rd2024", "1234567890", "qwertyqwerty", "aaaaaaaaaa" */
export function isCommonPassword(password: string): boolean {
  const plain = password.toLowerCase().replaceAll(/\s+/g, '')
  const unit = /^(.+?)\1*$/s.exec(plain)?.[1] ?? plain
  if (unit.length === 1 || isRow(plain) || isRow(unit)) return true
  return [unit, withoutEnds(plain), withoutEnds(unleet(plain)), unleet(withoutEnds(plain))].some((word) =>
    words.has(word),
  )
}

function isRow(text: string): boolean {
  const backwards = [...text].reverse().join('')
  return rows.some((row) => row.includes(text) || row.includes(backwards))
}

/** Without the digits and signs before and after the word. */
function withoutEnds(text: string): string {
  return text.replaceAll(/^[\d\p{P}\p{S}]+|[\d\p{P}\p{S}]+$/gu, '')
}

function unleet(text: string): string {
  return text.replaceAll(/[013457@$!]/g, (sign) => leet[sign] ?? sign)
}
