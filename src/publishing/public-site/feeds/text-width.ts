/** Widths of the ASCII characters from space to tilde in Verdana, in thousandths of an em. */
const WIDTHS =
  '352 394 459 818 636 1076 727 269 454 454 636 818 364 454 364 454 636 636 636 636 636 636 636 636 636 636 454 454 818 818 818 545 ' +
  '1000 684 686 698 771 632 575 775 751 421 455 693 557 843 748 787 603 787 695 684 616 732 684 989 685 615 685 454 454 454 818 636 ' +
  '636 601 623 521 623 596 352 623 633 274 344 592 274 973 633 607 623 623 427 521 394 633 592 818 592 592 525 635 454 635 818'

const ems = WIDTHS.split(' ').map((width) => Number(width) / 1000)

/** Other characters: full-width ones take 1 em, combining ones 0, the rest 0.65 em. */
const WIDE =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uff60]|\p{Extended_Pictographic}/u
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u

/** An estimate; badges stretch the text to exactly this width. */
export function textWidth(text: string, sizePx: number): number {
  let width = 0
  for (const character of text) {
    const em = ems[character.charCodeAt(0) - 32]
    width +=
      character.length === 1 && em !== undefined ? em : NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 1 : 0.65
  }
  return Math.round(width * sizePx * 10) / 10
}
