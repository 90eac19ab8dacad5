const PADDLE_TURNS = [0, 60, 120, 180, 240, 300];

/** The product's logo: a mill wheel over water. Decorative; the name is beside it or on its link. */
export function Wheel({ className }: { className?: string }) {
  return (
    <svg
      className={className}
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="16" cy="13" r="6.6" />
      <circle cx="16" cy="13" r="1.6" fill="currentColor" stroke="none" />
      {PADDLE_TURNS.map((turn) => (
        <path key={turn} d="M14.6 6.4 18.4 2.4" strokeWidth="2.6" transform={`rotate(${turn} 16 13)`} />
      ))}
      <path stroke="var(--brass)" d="M3 28.4c2.2-2.6 4.4-2.6 6.5 0s4.3 2.6 6.5 0 4.3-2.6 6.5 0 4.3 2.6 6.5 0" />
    </svg>
  );
}
