/** A labelled choice of a few: the browser's own list, with its own keys. */
import './select.css'

interface SelectProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly id: T; readonly label: string }[]
  readonly onChoose: (id: T) => void
}

export function Select<T extends string>({ label, value, options, onChoose }: SelectProps<T>) {
  return (
    <label class="select">
      <span>{label} </span>
      <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}
