import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { qrModules } from '../../dashboard/src/screens/settings/qr.ts'

const drawn = (text: string) => qrModules(text).map((row) => row.map((isDark) => (isDark ? '#' : ' ')).join(''))

/** What stands here was held against another encoder (qrcode-terminal, level M), module by module, when it was written. */
test('a short text is drawn as other encoders draw it', () => {
  assert.deepEqual(drawn('Pharos'), [
    '#######  # #  #######',
    '#     #  ###  #     #',
    '# ### # # #   # ### #',
    '# ### # # ##  # ### #',
    '# ### # # ### # ### #',
    '#     # ### # #     #',
    '####### # # # #######',
    '        #####        ',
    '# #####  ## # #####  ',
    '    ## #  # #  #    #',
    ' #### # # ## #  # ## ',
    '    ##   #     ####  ',
    '# ### #    # #  #    ',
    '        ########  ## ',
    '#######  ## # ## ### ',
    '#     # # ##### ### #',
    '# ### # ### #  # # # ',
    '# ### # # # #   # #  ',
    '# ### # #### #       ',
    '#     #  #      ###  ',
    '####### ## # #  #  # ',
  ])
})

test('longer ones too, with several blocks, alignment marks and the version written out', () => {
  const marks = [40, 130, 300, 600].map((length) => {
    const rows = drawn('otpauth://totp/'.padEnd(length, 'abcXYZ0189%:=&?'))
    return [rows.length, createHash('sha256').update(rows.join('\n')).digest('hex').slice(0, 16)]
  })
  assert.deepEqual(marks, [
    [29, '2e71f0d1730166bf'],
    [49, 'e24e0aac1d4d471c'],
    [69, 'b8a189a5eaecfa79'],
    [93, 'fe6fee57d8c07887'],
  ])
})

test('what is too long for it is refused', () => {
  assert.throws(() => qrModules('x'.repeat(700)), /Too long/)
})
