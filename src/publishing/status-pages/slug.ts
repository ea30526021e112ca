const SHORTEST = 3
const LONGEST = 63

export function isSlug(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text)
}

/** Letters that do not fall apart into a plain one and a mark, and the alphabets that are next of kin. */
const letters = new Map(
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

/** A slug made of a name: what it says in a-z, 0-9 and -, or `status` where it says nothing of the kind. */
export function slugFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => letters.get(letter) ?? ' ')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
  const slug = trimmed(trimmed(plain).slice(0, LONGEST))
  if (slug === '') return 'status'
  return slug.length < SHORTEST ? `${slug}-status` : slug
}

/** The nth slug of its kind: `shop`, `shop-2`, `shop-3`. */
export function numbered(slug: string, n: number): string {
  if (n === 1) return slug
  const tail = `-${n}`
  return trimmed(slug.slice(0, LONGEST - tail.length)) + tail
}

function trimmed(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
