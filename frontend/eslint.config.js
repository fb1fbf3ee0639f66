import tseslint from 'typescript-eslint'

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'eslint.config.js',
      'src/wire/wire.ts',
      'src/wire/categories.ts',
      'src/views/*/definitions.ts',
      'src/views/*/row_figures.ts',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Numbers in template strings are what a page about numbers does all day.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `onClick={() => go(...)}` reads better than a block around it.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Names and values of a trace are text from a stranger.
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text from a trace is never HTML.' },
        {
          selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]',
          message: 'Text from a trace is never HTML.',
        },
      ],
    },
  },
)
