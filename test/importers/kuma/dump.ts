import type { DatabaseSync } from 'node:sqlite'

/** A dump in the forms of mysqldump: extended inserts, rows on lines of their own, names of columns. */
export function dumpOf(connection: DatabaseSync): string {
  const tables = connection
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all()
  const parts = tables.map(({ name }, i) => {
    const columns = connection
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(String(name))
      .map((row) => `\`${row.name}\``)
    const limit = /^(stat_daily|stat_hourly)$/.test(String(name)) ? -1 : 3000
    const rows = connection
      .prepare(`SELECT * FROM "${name}" LIMIT ${limit}`)
      .all()
      .map((row) => `(${Object.values(row).map(literal).join(',')})`)
    const create = `CREATE TABLE \`${name}\` (\n${columns.map((column) => `  ${column} text DEFAULT NULL,\n`).join('')}  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB;\n`
    if (rows.length === 0) return create
    const forms = [
      `INSERT INTO \`${name}\` VALUES ${rows.join(',')};\n`,
      `INSERT INTO \`${name}\` VALUES\n${rows.join(',\n')};\n`,
      `INSERT INTO \`${name}\` (${columns.join(', ')}) VALUES ${rows.join(',')};\n`,
    ]
    return `--\n-- Table structure\n--\n${create}LOCK TABLES \`${name}\` WRITE;\n${forms[i % forms.length]}UNLOCK TABLES;\n`
  })
  return `-- MariaDB dump 10.19\n${parts.join('')}-- Dump completed on 2026-11-18\n`
}

function literal(value: unknown): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `'${String(value)
    .replace(/[\\'"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\0', '\\0')}'`
}
