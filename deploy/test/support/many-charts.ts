import { cp, mkdir, mkdtempDisposable, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { chart, exampleFile, type Helm, target } from './helm.ts'

type Values = Record<string, unknown>

/** Values that override those of an example, and their name. */
type Case = readonly [name: string, values: object, ...unknown[]]

const aliasOf = (index: number) => `chart${index}`

/** A chart that contains the Tideport chart once for each of `cases`, so that one run of Helm checks all. */
async function template(helm: Helm, example: string, cases: readonly Case[], own?: string): Promise<string> {
  await using around = await mkdtempDisposable(join(tmpdir(), 'tideport-charts-'))
  const base = parse(await readFile(exampleFile(example), 'utf8')) as Values
  const { name, version } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as Values
  const dependencies = cases.map((_, index) => ({ name, version, alias: aliasOf(index) }))
  const copy = join(around.path, 'charts', String(name))
  await cp(chart, copy, { recursive: true })
  const described = { apiVersion: 'v2', name: 'many', version: '0.0.0', dependencies }
  await writeFile(join(around.path, 'Chart.yaml'), stringify(described))
  if (own !== undefined) {
    await hideTemplates(join(copy, 'templates'))
    await mkdir(join(around.path, 'templates'))
    await writeFile(join(around.path, 'templates/own.yaml'), own)
  }
  const values = Object.fromEntries(cases.map(([, over], index) => [aliasOf(index), laidOver(base, over)]))
  return await helm.run(['template', 'acme', around.path, ...target, '-f', '-'], { input: stringify(values) })
}

/** Helm does not render files whose names begin with `_`, but their definitions can be included. */
async function hideTemplates(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const rendered = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('_'))
  for (const { parentPath, name } of rendered)
    await rename(join(parentPath, name), join(parentPath, `_${basename(name)}`))
}

/** The schema's fault of each case, by its name. Cases that the schema accepts are missing. */
export async function schemaFaults(helm: Helm, example: string, cases: readonly Case[]): Promise<Map<string, string>> {
  const printed = await template(helm, example, cases).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  )
  const parts = printed.split(/^(chart\d+):\n/m)
  return new Map(
    cases.flatMap(([name], index) => {
      const at = parts.indexOf(aliasOf(index))
      return at < 0 ? [] : [[name, parts[at + 1] as string]]
    }),
  )
}

const everyFault = String.raw`{{ range $alias, $scope := .Subcharts }}
{{ $alias }}: {{ include "tideport.faults" $scope | splitList "\n" | toRawJson }}
{{ end }}`

/** The messages with which the templates reject each case, by its name. */
export async function sentences(helm: Helm, example: string, cases: readonly Case[]): Promise<Map<string, string[]>> {
  const byAlias = parse(await template(helm, example, cases, everyFault)) as Record<string, string[]>
  const found = cases.map(([name], index) => [name, (byAlias[aliasOf(index)] ?? []).filter(Boolean)] as const)
  return new Map(found)
}

/** The names of the rendered cases. Throws if any case is rejected. */
export async function renderedCases(helm: Helm, example: string, cases: readonly Case[]): Promise<string[]> {
  const manifests = await template(helm, example, cases)
  return cases.flatMap(([name], index) =>
    manifests.includes(`# Source: many/charts/${aliasOf(index)}/`) ? [name] : [],
  )
}

/** Merges values like Helm: merges maps, replaces lists and scalars. */
function laidOver(base: Values, overlay: object): Values {
  const merged = Object.entries(overlay).map(([key, value]) => {
    const below = base[key]
    return [key, isMap(below) && isMap(value) ? laidOver(below, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
