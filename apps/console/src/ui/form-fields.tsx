import type { ComponentChildren, ComponentType, TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import {
  Checks,
  type ChecksProps,
  Choices,
  type ChoicesProps,
  Field,
  type FieldProps,
  SelectField,
  type SelectProps,
  TextField,
  type TextFieldProps,
  Tick,
  type TickProps,
} from './field.tsx'

/** Attributes such as `required`, `minLength`, and `pattern` validate. */
export type FormField =
  | ({ kind?: 'line'; name: string } & FieldProps)
  | ({ kind: 'lines'; name: string } & TextFieldProps)
  | ({ kind: 'select'; name: string } & SelectProps)
  | ({ kind: 'choices' } & ChoicesProps)
  | ({ kind: 'checks' } & ChecksProps)
  | ({ kind: 'tick'; name: string } & TickProps)
  | ({ kind: 'fold' } & FoldProps)
  | { kind: 'own'; name: string; shown: ComponentChildren }

const views = {
  line: (props: FieldProps) => <Field autocomplete="off" {...props} />,
  lines: TextField,
  select: SelectField,
  choices: Choices,
  checks: Checks,
  tick: Tick,
  fold: Fold,
  own: ({ shown }: { shown: ComponentChildren }) => <>{shown}</>,
}

export function FormFields({ fields }: { fields: readonly FormField[] }) {
  return (
    <>
      {fields.map(({ kind = 'line', ...props }) => {
        const View = views[kind] as ComponentType<typeof props>
        return <View key={props.name} {...props} />
      })}
    </>
  )
}

interface FoldProps {
  name: string
  label: string
  fields: readonly FormField[]
}

/** Rendered when first opened. Values stay when the fold is closed. */
function Fold({ label, fields }: FoldProps) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details class="fold" onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{label}</summary>
      <div class="fold-body">{wasOpened && <FormFields fields={fields} />}</div>
    </details>
  )
}

/** Handles the submit event of a form without leaving the page. */
export const submitted = (run: (fields: FormData) => void) => (event: TargetedSubmitEvent<HTMLFormElement>) => {
  event.preventDefault()
  run(new FormData(event.currentTarget))
}

export const typedIn = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim()

export function numberIn(fields: FormData, name: string): number | null {
  const typed = typedIn(fields, name)
  return typed === '' ? null : Number(typed)
}

/** Null for an empty field. */
export function linesIn(fields: FormData, name: string): string[] | null {
  const lines = typedIn(fields, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}

/** Null when nothing is checked. */
export function chosenIn<Value extends string>(fields: FormData, name: string): Value[] | null {
  const values = fields.getAll(name).map(String) as Value[]
  return values.length === 0 ? null : values
}

/** As in the API: `2026/photos/`; empty for the complete vault. */
export function folderIn(typed: string): string {
  const folder = typed.trim().replace(/^\/+|\/+$/g, '')
  return folder === '' ? '' : `${folder}/`
}
