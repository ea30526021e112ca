/** The lighthouse of Pharos as SVG paths in a view box of 16 by 16. The dashboard has the same (dashboard/src/ui/mark.tsx). */
export const tower =
  'M8 .4 10.700 3H5.300zM6.500 3.600h3v2H11V7h-.9l.35 2.600h-4.900L5.900 7H5V5.600h1.500zM5.400 10.900h5.200l.4 2.700h1.300v1.800H3.700v-1.800H5z'
export const beams = 'M5 4.600 0 6.900V1.700l5 2.200zM11 4.600l5 2.300V1.700l-5 2.200z'
