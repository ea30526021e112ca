import tailwind from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const server = process.env.PHAROS_DEV_SERVER ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [tailwind()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { react: 'preact/compat', 'react-dom': 'preact/compat' } },
  build: {
    outDir: 'dist',
    // For the notices of packages (scripts/build).
    license: { fileName: 'licenses.json' },
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 250,
  },
  // `npm run dashboard` next to `npm start`: serves the page with live reload and proxies the API.
  server: { proxy: { '/app/api': server, '/status': server, '/assets': server } },
})
