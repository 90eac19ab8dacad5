/** Returns a metric file over the orders of the sample shop. */
export const metricModel = (expression = "COUNT(orders.id)") => `version: 0.2.0.dev0
semantic_model:
  - name: shop
    description: Orders of the shop
    datasets:
      - name: orders
        source: Sample shop.main.orders
        primary_key: [id]
        fields:
          - name: status
            datatype: String
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: status
          - name: placed_at
            datatype: DateTime
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: placed_at
    metrics:
      - name: order_count
        expression:
          dialects:
            - dialect: ANSI_SQL
              expression: ${expression}
`;
