//! Sharing out a budget: small items are whole, the others get the same level, and nobody gets a useless scrap.

/// What each item gets, in the order of `sizes`; never more than its size, and in all never more than `budget`.
///
/// The rule is water-filling: there is a level such that items smaller than it are whole and the others get just it.
/// Where that level would be below `minimum`, the largest items get nothing until it no longer is.
pub(crate) fn share(sizes: &[usize], budget: usize, minimum: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    let size = |index: usize| sizes.get(index).copied().unwrap_or(0);
    order.sort_by_key(|index| (size(*index), *index));
    let mut needed = 0_usize;
    let served = order
        .iter()
        .take_while(|index| {
            needed = needed.saturating_add(size(**index).min(minimum));
            needed <= budget
        })
        .count();
    order.truncate(served);
    let mut shares = vec![0; sizes.len()];
    let (mut left, mut waiting) = (budget, served);
    for index in order {
        // Smallest first: whoever needs less than an equal part leaves the rest to the others.
        let part = size(index).min(left.checked_div(waiting).unwrap_or(0));
        if let Some(share) = shares.get_mut(index) {
            *share = part;
        }
        left -= part;
        waiting -= 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_items_are_whole_and_the_others_level() {
        assert_eq!(share(&[100, 10, 100, 5], 115, 1), [50, 10, 50, 5]);
        assert_eq!(share(&[1, 2, 3], 6, 1), [1, 2, 3]);
        assert_eq!(share(&[], 6, 1), [0; 0]);
        assert_eq!(share(&[4, 4], 0, 1), [0, 0]);
    }

    #[test]
    fn nobody_gets_a_scrap() {
        assert_eq!(share(&[100, 100, 100, 30], 130, 50), [50, 50, 0, 30]);
        assert_eq!(share(&[100; 10], 45, 50), [0; 10]);
    }

    proptest! {
        #[test]
        fn a_budget_is_kept_and_used(
            sizes in prop::collection::vec(0_usize..500, 0..40),
            budget in 0_usize..4000,
            minimum in 0_usize..100,
        ) {
            let shares = share(&sizes, budget, minimum);
            let used: usize = shares.iter().sum();
            prop_assert!(used <= budget);
            prop_assert!(shares.iter().zip(&sizes).all(|(share, size)| share <= size));
            prop_assert!(shares.iter().zip(&sizes).all(|(share, size)| share == size || *share == 0 || *share >= minimum.min(*size)));
            // All items that are cut get the same, but for the remainder of the division.
            let cut: Vec<usize> = shares.iter().zip(&sizes).filter(|(share, size)| **share > 0 && share < size).map(|(share, _)| *share).collect();
            if let (Some(least), Some(most)) = (cut.iter().min(), cut.iter().max()) {
                prop_assert!(most - least <= 1);
                prop_assert_eq!(used, budget);
            }
        }
    }
}
