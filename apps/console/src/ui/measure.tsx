interface MeasureProps {
  label: string
  value: number
  max: number
  /** The same in words. */
  children: string
}

/** A part of a whole, as a bar and in words. */
export function Measure({ label, value, max, children }: MeasureProps) {
  return (
    <div class="measure">
      <meter aria-label={label} min={0} max={Math.max(max, 1)} value={Math.min(value, max)}>
        {children}
      </meter>
      <span>{children}</span>
    </div>
  )
}
