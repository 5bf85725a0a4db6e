"""What a world must withstand: imputed instances and the checks that refuse instances which give their optimum away."""
