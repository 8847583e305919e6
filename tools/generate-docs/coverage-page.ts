const rows = /^\| (\d+)\.\d+ \| (.+?) \| (.*) \|\n/gm

/** Numbers the rows, and merges rows of a table with the same claim. A section keeps the number of its first row. */
export function coveragePage(page: string): string {
  return page
    .split(/^(?=## )/m)
    .map(numberRows)
    .join('')
}

function numberRows(section: string): string {
  const tables = section.split(/^(?=### )/m).map(uniteRows)
  const [, number] = section.matchAll(rows).next().value ?? []
  let count = 0
  return tables.join('').replace(rows, (_row, _number, claim, tests) => {
    count += 1
    return `| ${number}.${count} | ${claim} | ${tests} |\n`
  })
}

/** A merged row keeps the position of its first row. */
function uniteRows(table: string): string {
  const testsOf = new Map<string, Set<string>>()
  for (const [, , claim = '', tests = ''] of table.matchAll(rows)) {
    testsOf.set(claim, new Set([...(testsOf.get(claim) ?? []), ...tests.split('<br>')]))
  }
  return table.replace(rows, (_row, number, claim) => {
    const tests = testsOf.get(claim)
    testsOf.delete(claim)
    return tests ? `| ${number}.1 | ${claim} | ${[...tests].join('<br>')} |\n` : ''
  })
}
