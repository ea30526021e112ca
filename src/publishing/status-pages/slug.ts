const MIN_LENGTH = 3
const MAX_LENGTH = 63

export function isSlug(text: string): boolean {
  return text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text)
}

/** Transliteration of Latin letters that NFKD does not decompose, and of Cyrillic and Greek. */
const transliteration = new Map(
  [
    'ß ss,æ ae,œ oe,ø o,đ d,ð d,þ th,ł l,ħ h,ı i,ŋ ng,ŧ t',
    'а a,б b,в v,г g,д d,е e,ж zh,з z,и i,к k,л l,м m,н n,о o,п p,р r,с s,т t,у u,ф f,х kh,ц ts,ч ch,ш sh,щ shch',
    'ъ ,ы y,ь ,э e,ю yu,я ya,і i,є ye,ґ g,ј j,љ lj,њ nj,ћ c,ђ dj,џ dz',
    'α a,β v,γ g,δ d,ε e,ζ z,η i,θ th,ι i,κ k,λ l,μ m,ν n,ξ x,ο o,π p,ρ r,σ s,ς s,τ t,υ y,φ f,χ ch,ψ ps,ω o',
  ]
    .join()
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
)

/** A slug made of a name, or `status` if the name has no usable character. */
export function slugFrom(name: string): string {
  const slug = asciiWords(name)
  if (slug === '') return 'status'
  return slug.length < MIN_LENGTH ? `${slug}-status` : slug
}

/** The words of a text in a-z and 0-9, joined with hyphens. Empty if the text has no usable character. */
export function asciiWords(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => transliteration.get(letter) ?? ' ')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
  return trimDashes(trimDashes(plain).slice(0, MAX_LENGTH))
}

/** `shop`, `shop-2`, `shop-3`, … */
export function numberedSlug(slug: string, n: number): string {
  if (n === 1) return slug
  const tail = `-${n}`
  return trimDashes(slug.slice(0, MAX_LENGTH - tail.length)) + tail
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
