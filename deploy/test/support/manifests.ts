import { parseAllDocuments } from 'yaml'

// biome-ignore lint/suspicious/noExplicitAny: objects of thirty kinds, which kubeconform holds against their schemas
export type Manifest = any

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    const [fault] = [...document.errors, ...document.warnings]
    if (fault) throw fault
    const manifest = document.toJS() as Manifest
    return manifest ? [manifest] : []
  })
}

export const named = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`

export const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((item) => item.kind === kind)

/** The only object of this kind whose name has this suffix. */
export function theOne(manifests: readonly Manifest[], kind: string, suffix: string): Manifest {
  const found = ofKind(manifests, kind).filter(({ metadata }) => metadata.name.endsWith(suffix))
  if (found.length === 1) return found[0]
  throw new Error(`${found.length} objects are a ${kind} named …${suffix}, not 1`)
}

/** Every pod that these objects create, with its owner. */
export function podsOf(manifests: readonly Manifest[]): { owner: Manifest; labels: Manifest; spec: Manifest }[] {
  return manifests.flatMap((owner) => {
    if (owner.kind === 'Pod') return [{ owner, labels: owner.metadata.labels, spec: owner.spec }]
    const template = owner.spec?.template
    return template?.spec?.containers ? [{ owner, labels: template.metadata.labels, spec: template.spec }] : []
  })
}

/** The pods of the services: of every Deployment but the toolbox. */
export const servicesOf = (manifests: readonly Manifest[]) =>
  podsOf(ofKind(manifests, 'Deployment')).filter(({ owner }) => !/-toolbox$/.test(owner.metadata.name))

export const containersOf = (spec: Manifest): Manifest[] => [...(spec.initContainers ?? []), ...spec.containers]

/** Whether a label selector matches these labels. */
export function selects(selector: Manifest, labels: Record<string, string>): boolean {
  const matches = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value)
  const expressions = (selector.matchExpressions ?? []) as { key: string; operator: string; values: string[] }[]
  return matches && expressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
}
